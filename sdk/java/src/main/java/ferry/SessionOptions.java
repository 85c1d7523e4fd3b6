package ferry;

import java.nio.file.Path;

/** How a session runs; each setter answers the same object. */
public final class SessionOptions {
    /** How much algorithms may differ from the direct one. */
    public enum Precision { DEFAULT, EXACT, FAST }

    private int threads;
    private Precision precision = Precision.DEFAULT;
    private String isa;
    private String backends;
    private long memoryBytes;
    private boolean profile;
    private Path tuneFile;
    private boolean tune;
    private long seed;

    /** Of kernels, the caller's included; 0: one a core. */
    public SessionOptions threads(int threads) {
        this.threads = threads;
        return this;
    }

    public SessionOptions precision(Precision precision) {
        this.precision = precision;
        return this;
    }

    /** One of Model.isasJson(); null: the fastest. */
    public SessionOptions isa(String isa) {
        this.isa = isa;
        return this;
    }

    /** Devices beside the CPU, names with commas; null: none. FERRY_BACKEND in the environment wins over it. */
    public SessionOptions backends(String backends) {
        this.backends = backends;
        return this;
    }

    /** Most memory of activations; 0: no limit. */
    public SessionOptions memoryBytes(long memoryBytes) {
        this.memoryBytes = memoryBytes;
        return this;
    }

    /** Times each node, for Session.profileJson. */
    public SessionOptions profile(boolean profile) {
        this.profile = profile;
        return this;
    }

    /** What was measured on this device is kept here; with `tune` what it does not know is measured. */
    public SessionOptions tune(Path file, boolean tune) {
        this.tuneFile = file;
        this.tune = tune;
        return this;
    }

    /** Of random operators without one of their own; 0: the system's. */
    public SessionOptions seed(long seed) {
        this.seed = seed;
        return this;
    }

    long create(long engine) {
        return Native.sessionCreate(engine, threads, precision.ordinal(), Native.bytes(isa), Native.bytes(backends), memoryBytes,
            profile, tuneFile == null ? null : Native.bytes(tuneFile), tune, seed);
    }
}
