package ferry;

/** Rows through a graph of operators, as "streams" of task.json, without a package. Texts are JSON. */
public final class Stream implements AutoCloseable {
    private final Handle handle;

    public Stream(String streamsJson) {
        handle = new Handle(this, Native.streamOpen(Native.bytes(streamsJson)), Native::streamClose);
    }

    /** One row to every stream with this source; its time in "time_ms" (else now). */
    public void send(String source, String rowJson) {
        Native.check(Native.streamSend(handle.raw(), Native.bytes(source), Native.bytes(rowJson)));
    }

    public void sendEvent(String eventJson) {
        Native.check(Native.streamSendEvent(handle.raw(), Native.bytes(eventJson)));
    }

    /** Event time has come to here: windows that end before it close. Negative: all do. */
    public void advance(long timeMs) {
        Native.check(Native.streamAdvance(handle.raw(), timeMs));
    }

    /** Rows that have left streams with "app": true since the last call, at most `most`; 0: all. */
    public String read(long most) {
        return Native.text(Native.streamRead(handle.raw(), most));
    }

    public String statusJson() {
        return Native.text(Native.streamStatus(handle.raw()));
    }

    @Override
    public void close() {
        handle.close();
    }
}
