package ferry;

import java.lang.ref.Cleaner;
import java.util.function.LongConsumer;

/** A number of the library's, closed once: by close, or when nothing refers to its owner any more. */
final class Handle {
    private static final Cleaner CLEANER = Cleaner.create();

    // Knows nothing of the owner, which could not be collected else.
    private static final class Closing implements Runnable {
        private final long raw;
        private final LongConsumer close;

        Closing(long raw, LongConsumer close) {
            this.raw = raw;
            this.close = close;
        }

        @Override
        public void run() {
            close.accept(raw);
        }
    }

    private final long raw;
    private final Cleaner.Cleanable cleanable;

    Handle(Object owner, long raw, LongConsumer close) {
        this.raw = raw;
        this.cleanable = CLEANER.register(owner, new Closing(raw, close));
    }

    // Also when it is closed: the library says so then.
    long raw() {
        return raw;
    }

    void close() {
        cleanable.clean();
    }

    // Of what waits for its callbacks.
    void closeOutside() {
        if (Native.isInCallback())
            throw new FerryException(FerryException.FAILED_PRECONDITION, "closed from a callback, for which closing would wait");
        cleanable.clean();
    }
}
