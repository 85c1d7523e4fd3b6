package ferry;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** One generation after another with a language model; a second one at a time is refused (failed_precondition). */
public final class Chat implements AutoCloseable {
    /** Where tokens come from. */
    public enum Mode { DEVICE_ONLY, SPLIT, CLOUD_ONLY }

    /** Who chose a token. */
    public enum Source { VERIFIED, CLOUD, DEVICE }

    /** New text with its tokens: never half a character, so it may be empty. */
    public static final class Piece {
        private final String text;
        private final int[] ids;
        private final Source source;

        Piece(String text, int[] ids, Source source) {
            this.text = text;
            this.ids = ids;
            this.source = source;
        }

        public String text() {
            return text;
        }

        public int[] ids() {
            return ids.clone();
        }

        public Source source() {
            return source;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    // What callbacks write to; knows nothing of the chat, which could not be collected else.
    private static final class Listener implements Native.Callback {
        final java.util.function.BiConsumer<Mode, String> onMode;
        volatile Generation generation;

        Listener(java.util.function.BiConsumer<Mode, String> onMode) {
            this.onMode = onMode;
        }

        @Override
        public void call(int kind, int number, byte[] text, int[] ids) {
            Generation now = generation;
            if (kind == Native.MODE) {
                if (onMode != null) onMode.accept(Mode.values()[number], Native.text(text));
            } else if (now != null && kind == Native.TOKENS) {
                now.add(new Piece(Native.text(text), ids, Source.values()[number]));
            } else if (now != null) {
                now.end(number, Native.text(text));
            }
        }
    }

    private final Runtime runtime;  // lives as long as its chats
    private final Listener listener;
    private final Handle handle;
    private final List<String> messages = new ArrayList<>();

    Chat(Runtime runtime, long model, ChatOptions options) {
        this.runtime = runtime;
        listener = new Listener(options.onMode);
        long[] whole = {options.mode.ordinal(), options.pipelined ? 1 : 0, options.fallback ? 0 : 1, options.ignoreEnd ? 1 : 0,
            options.seed, options.topK, options.maxNew, options.draftTokens, options.memoryBytes};
        float[] reals = {options.temperature, options.topP, options.repetitionPenalty};
        float[] scales = new float[options.scales.size()];
        for (int i = 0; i < scales.length; ++i) scales[i] = options.scales.get(i);
        long[] made = Native.chatCreate(model, whole, reals, Native.bytes(options.target),
            options.adapters.stream().mapToLong(Adapter::raw).toArray(), scales, listener);
        long kept = made[1];
        handle = new Handle(this, made[0], raw -> Native.chatDestroy(raw, kept));
    }

    /** What follows a text. */
    public Generation generate(String text) {
        return begin(null, () -> Native.chatStartText(handle.raw(), Native.bytes(text)));
    }

    /** What follows token ids. */
    public Generation generate(int[] ids) {
        return begin(null, () -> Native.chatStartIds(handle.raw(), ids));
    }

    /** The answer to a conversation [{"role","content"}, ..], by the model's chat template. */
    public Generation generateMessages(String messagesJson) {
        return begin(null, () -> Native.chatStartMessages(handle.raw(), Native.bytes(messagesJson)));
    }

    /** The answer to one more message of the user; it is a part of the conversation when it is complete. */
    public Generation say(String text) {
        String user = message("user", text);
        List<String> all;
        synchronized (messages) {
            all = new ArrayList<>(messages);
        }
        all.add(user);
        return begin(user, () -> Native.chatStartMessages(handle.raw(), Native.bytes("[" + String.join(",", all) + "]")));
    }

    /** The conversation of say so far, as JSON. */
    public String messagesJson() {
        synchronized (messages) {
            return "[" + String.join(",", messages) + "]";
        }
    }

    /** From the next token on. */
    public void setMode(Mode mode) {
        Native.check(Native.chatSetMode(handle.raw(), mode.ordinal()));
    }

    public void cancel() {
        Native.check(Native.chatCancel(handle.raw()));
    }

    /** Of the running or the last generation. */
    public String statsJson() {
        return Native.text(Native.chatStats(handle.raw()));
    }

    /** Ends what runs. */
    @Override
    public void close() {
        handle.closeOutside();
        Generation open = listener.generation;
        if (open != null) open.end(FerryException.CANCELLED, "{\"error\":\"the chat was closed\"}");
    }

    private static String message(String role, String content) {
        return "{\"role\":" + Json.quote(role) + ",\"content\":" + Json.quote(content) + "}";
    }

    private synchronized Generation begin(String user, java.util.function.IntSupplier start) {
        Generation before = listener.generation, next = new Generation(user);
        // Before it starts, for its first piece may come at once.
        if (before == null || before.isOver) listener.generation = next;
        int code = start.getAsInt();
        if (code != 0) {
            FerryException failure = new FerryException(code, Native.text(Native.errorText()));
            listener.generation = before;
            throw failure;
        }
        if (listener.generation != next) listener.generation = next;
        return next;
    }

    /** A text as it is generated, read by one thread: `for (Chat.Piece piece : chat.generate("..."))`. */
    public final class Generation implements Iterable<Piece>, Iterator<Piece> {
        private final BlockingQueue<Object> queue = new LinkedBlockingQueue<>();
        private final String user;
        private final StringBuilder text = new StringBuilder();  // of all pieces that have come
        private volatile boolean isOver;
        private volatile String stats;
        private Object next;  // a Piece, or at the end a FerryException or the stats

        Generation(String user) {
            this.user = user;
        }

        @Override
        public Iterator<Piece> iterator() {
            return this;
        }

        /** Waits for more; throws when the generation failed or was cancelled. */
        @Override
        public boolean hasNext() {
            if (next == null) {
                try {
                    next = queue.take();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new FerryException(FerryException.CANCELLED, "the thread was interrupted");
                }
            }
            if (next instanceof FerryException) throw (FerryException) next;
            return next instanceof Piece;
        }

        @Override
        public Piece next() {
            if (!hasNext()) throw new NoSuchElementException("the generation is over");
            Piece piece = (Piece) next;
            next = null;
            return piece;
        }

        /** All of it, when it is over. */
        public String text() {
            while (hasNext()) next();
            synchronized (this) {
                return text.toString();
            }
        }

        /** When it is over; null before. */
        public String statsJson() {
            return stats;
        }

        /** Ends it with the error "cancelled". */
        public void cancel() {
            if (!isOver) Chat.this.cancel();
        }

        private synchronized void add(Piece piece) {
            text.append(piece.text());
            queue.add(piece);
        }

        // Called once, behind all pieces, on a thread of the runtime; or by close.
        private synchronized void end(int code, String json) {
            if (isOver) return;
            stats = json;
            isOver = true;
            if (code != 0) {
                queue.add(new FerryException(code, Json.member(json, "error")));
                return;
            }
            if (user != null) {
                synchronized (messages) {
                    messages.add(user);
                    messages.add(message("assistant", text.toString()));
                }
            }
            queue.add(json);
        }
    }
}
