package tidegauge.hazelcast;

import com.hazelcast.internal.json.JsonObject;

/** An instance of a component. The outputs of a step are added to the {@link Outputs} that it was made with. */
interface Engine {
    void step(String name, JsonObject step) throws Exception;
}
