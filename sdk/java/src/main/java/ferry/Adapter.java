package ferry;

/** Low-rank changes to a language model; chats with it live on when it is closed. */
public final class Adapter implements AutoCloseable {
    private final Handle handle;

    Adapter(long raw) {
        handle = new Handle(this, raw, Native::adapterClose);
    }

    public String infoJson() {
        return Native.text(Native.adapterInfo(handle.raw()));
    }

    long raw() {
        return handle.raw();
    }

    @Override
    public void close() {
        handle.close();
    }
}
