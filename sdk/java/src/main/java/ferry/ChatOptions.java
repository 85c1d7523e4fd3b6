package ferry;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** How a chat generates; each setter answers the same object. */
public final class ChatOptions {
    Chat.Mode mode = Chat.Mode.DEVICE_ONLY;
    boolean pipelined;
    boolean fallback = true;
    boolean ignoreEnd;
    long seed;
    float temperature;
    long topK;
    float topP;
    float repetitionPenalty;
    long maxNew;
    long draftTokens;
    long memoryBytes;
    String target;
    final List<Adapter> adapters = new ArrayList<>();
    final List<Float> scales = new ArrayList<>();
    BiConsumer<Chat.Mode, String> onMode;

    /** All but DEVICE_ONLY need a started agent. */
    public ChatOptions mode(Chat.Mode mode) {
        this.mode = mode;
        return this;
    }

    /** Drafts on while a verification is under way. */
    public ChatOptions pipelined(boolean pipelined) {
        this.pipelined = pipelined;
        return this;
    }

    /** false: waits for the network where it would go on alone. */
    public ChatOptions fallback(boolean fallback) {
        this.fallback = fallback;
        return this;
    }

    /** Goes on after the model's end tokens. */
    public ChatOptions ignoreEnd(boolean ignoreEnd) {
        this.ignoreEnd = ignoreEnd;
        return this;
    }

    public ChatOptions seed(long seed) {
        this.seed = seed;
        return this;
    }

    /** 0: greedy. */
    public ChatOptions temperature(float temperature) {
        this.temperature = temperature;
        return this;
    }

    /** 0: off. */
    public ChatOptions topK(long topK) {
        this.topK = topK;
        return this;
    }

    /** 0 or 1: off. */
    public ChatOptions topP(float topP) {
        this.topP = topP;
        return this;
    }

    /** 0 or 1: off. */
    public ChatOptions repetitionPenalty(float repetitionPenalty) {
        this.repetitionPenalty = repetitionPenalty;
        return this;
    }

    /** Most tokens of one generation; 0: 128. */
    public ChatOptions maxNew(long maxNew) {
        this.maxNew = maxNew;
        return this;
    }

    /** Of one round of a split chat; 0: chosen from what is measured. */
    public ChatOptions draftTokens(long draftTokens) {
        this.draftTokens = draftTokens;
        return this;
    }

    /** Of this chat's KV cache; 0: shared with the model's others. */
    public ChatOptions memoryBytes(long memoryBytes) {
        this.memoryBytes = memoryBytes;
        return this;
    }

    /** Package of the server's model; null: its only one. */
    public ChatOptions target(String target) {
        this.target = target;
        return this;
    }

    /** Its changes, times its scale, are added to the model's. */
    public ChatOptions adapter(Adapter adapter, float scale) {
        adapters.add(adapter);
        scales.add(scale);
        return this;
    }

    /** Called when the mode in force changes, with the reason for people, on a thread of the runtime. */
    public ChatOptions onMode(BiConsumer<Chat.Mode, String> onMode) {
        this.onMode = onMode;
        return this;
    }
}
