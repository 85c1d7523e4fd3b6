package ferry;

/** A language model; its chats live on when it is closed. */
public final class LanguageModel implements AutoCloseable {
    private final Runtime runtime;
    private final Handle handle;

    LanguageModel(Runtime runtime, long raw) {
        this.runtime = runtime;
        handle = new Handle(this, raw, Native::modelClose);
    }

    public String infoJson() {
        return Native.text(Native.modelInfo(handle.raw()));
    }

    /** The ids of a text's tokens; names of special tokens in it are those tokens. */
    public int[] encode(String text) {
        return encode(text, false);
    }

    /** With {@code asText} names of special tokens are text like any other: for texts of users. */
    public int[] encode(String text, boolean asText) {
        return Native.modelEncode(handle.raw(), Native.bytes(text), asText);
    }

    public String decode(int[] ids) {
        return decode(ids, false);
    }

    public String decode(int[] ids, boolean skipSpecials) {
        return Native.text(Native.modelDecode(handle.raw(), ids, skipSpecials));
    }

    /** A PEFT folder, a .fla file or "package:adapter". */
    public Adapter adapter(String name) {
        return new Adapter(Native.adapterOpen(runtime.raw(), handle.raw(), Native.bytes(name)));
    }

    /** Greedy, on this device alone. */
    public Chat chat() {
        return chat(new ChatOptions());
    }

    public Chat chat(ChatOptions options) {
        return new Chat(runtime, handle.raw(), options);
    }

    @Override
    public void close() {
        handle.close();
    }
}
