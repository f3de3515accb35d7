package org.apache.flink.runtime.event;

/** A class that Flink has from 2.0 on. Outputs of 1.20 never receive one. */
public final class WatermarkEvent {
    private WatermarkEvent() {}
}
