package ferry;

import java.nio.file.Path;

/** Of a Runtime; each setter answers the same object. */
public final class RuntimeOptions {
    int threads;
    Path outbox;
    long kvBytes;
    byte[] atRestKey;

    /** For kernels: 0 one a core, 1 the tasks' thread alone. */
    public RuntimeOptions threads(int threads) {
        this.threads = threads;
        return this;
    }

    /** File for rows of tasks that openTask opens; without it they are counted and dropped. */
    public RuntimeOptions outbox(Path outbox) {
        this.outbox = outbox;
        return this;
    }

    /** Most memory for the KV caches of one language model's chats; 0: chosen. */
    public RuntimeOptions kvBytes(long kvBytes) {
        this.kvBytes = kvBytes;
        return this;
    }

    /** 32 bytes of the system's key store that seal what the outbox keeps. */
    public RuntimeOptions atRestKey(byte[] key) {
        this.atRestKey = key.clone();
        return this;
    }
}
