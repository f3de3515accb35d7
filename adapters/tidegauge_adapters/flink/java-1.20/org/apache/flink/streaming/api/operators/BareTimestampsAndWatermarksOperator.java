package org.apache.flink.streaming.api.operators;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.runtime.operators.TimestampsAndWatermarksOperator;

/** A TimestampsAndWatermarksOperator constructed without a task, in Flink 1.20. */
abstract class BareTimestampsAndWatermarksOperator extends TimestampsAndWatermarksOperator<Long> {
    BareTimestampsAndWatermarksOperator(WatermarkStrategy<Long> strategy) {
        super(strategy, true);
    }
}
