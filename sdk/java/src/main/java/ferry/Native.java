package ferry;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The functions of ferry.h, nearly as they are. Texts pass as UTF-8 with a zero byte at the end, for the JVM's own form of it is
 * another; handles and addresses as numbers. What returns a code leaves its text for errorText on the same thread; what returns
 * something else throws FerryException.
 */
final class Native {
    private static final String LIBRARY = "ferry_jni";
    private static final String ENGINE = "libferry.so.0";

    static {
        load();
    }

    private Native() {}

    // From java.library.path, else from the jar: in a folder that only this user can enter, and that is gone at once.
    private static void load() {
        try {
            System.loadLibrary(LIBRARY);
            return;
        } catch (UnsatisfiedLinkError missing) {
            if (Native.class.getResource(resource(ENGINE)) == null) throw missing;
        }
        String file = System.mapLibraryName(LIBRARY);
        try {
            Path folder = Files.createTempDirectory("ferry-");
            try {
                extract(ENGINE, folder);
                System.load(extract(file, folder).toString());
            } finally {
                for (String name : new String[] {ENGINE, file}) Files.deleteIfExists(folder.resolve(name));
                Files.deleteIfExists(folder);
            }
        } catch (IOException error) {
            throw new UnsatisfiedLinkError("cannot extract the library of Ferry: " + error);
        }
    }

    private static String resource(String name) {
        return "/ferry/native/linux-" + System.getProperty("os.arch") + "/" + name;
    }

    private static Path extract(String name, Path folder) throws IOException {
        try (InputStream in = Native.class.getResourceAsStream(resource(name))) {
            if (in == null) throw new IOException("the jar has no " + resource(name));
            Path out = folder.resolve(name);
            Files.copy(in, out);
            return out;
        }
    }

    // A text for the library; null stays null.
    static byte[] bytes(String text) {
        if (text == null) return null;
        if (text.indexOf('\0') >= 0)
            throw FerryException.of(FerryException.INVALID_ARGUMENT, "a text with a character 0");
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return java.util.Arrays.copyOf(utf8, utf8.length + 1);
    }

    static byte[] bytes(Path path) {
        return bytes(path.toString());
    }

    // A text of the library, without a zero byte.
    static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    static void check(int code) {
        if (code != 0) throw new FerryException(code, text(errorText()));
    }

    // Called by the library's threads.

    static void failed(int code, byte[] message) {
        throw new FerryException(code, text(message));
    }

    static void uncaught(Throwable thrown) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }

    /** What the library calls back; each on a thread of its own. */
    interface Callback {
        void call(int kind, int number, byte[] text, int[] ids);
    }

    // Kinds of calls.
    static final int DONE = 0, RESULT = 1, TOKENS = 2, MODE = 3, END = 4;

    static native byte[] version();
    static native byte[] errorText();
    static native byte[] codeName(int code);
    static native long typeBytes(int type);

    // Whether this thread is in a callback.
    static native boolean isInCallback();

    // The address of a direct buffer's first byte; 0 for another buffer.
    static native long address(Buffer buffer);
    static native void copy(long from, long to, long bytes);
    static native byte[] textAt(long pointers, long index);

    static native long engineOpen(byte[] path, boolean verify);
    static native long engineOpenMemory(ByteBuffer direct, long size, boolean verify);
    static native long engineOpenDescriptor(FileDescriptor file, long offset, long length, boolean verify);
    static native long engineOpenPackage(long runtime, byte[] name, boolean verify);
    static native void engineClose(long engine);
    // Null past the last. Texts: name, kind, symbols; numbers: type, rank, extents, zero point, address of the name; reals: scale.
    static native byte[][] engineIo(long engine, boolean output, int index, long[] numbers, double[] reals);
    static native byte[] engineInfo(long engine);
    static native byte[] engineIsas();

    static native long sessionCreate(long engine, int threads, int precision, byte[] isa, byte[] backends, long memoryBytes,
        boolean profile, byte[] tuneFile, boolean tune, long seed);
    static native void sessionDestroy(long session);
    // Inputs and outputs are addresses of ferry_tensor structs.
    static native int run(long session, long inputs, int inputCount, long outputs, int outputCount);
    static native int runAsync(long session, long inputs, int inputCount, long outputs, int outputCount, Callback done);
    static native int resize(long session, long inputs, int inputCount);
    static native int cancel(long session);
    static native byte[] sessionInfo(long session);
    static native byte[] sessionProfile(long session);

    // Answers the handle and, as the second number, what keeps the callback.
    static native long[] runtimeCreate(int threads, byte[] outboxPath, long kvBytes, byte[] atRestKey, Callback onResult);
    static native void runtimeDestroy(long runtime, long callback);
    static native int taskOpen(long runtime, byte[] path);
    static native int agentStart(long runtime, byte[] directory, byte[] joinToken, byte[] profileJson, boolean push, long pollMs,
        byte[] atRestKey, boolean forgetSealed);
    static native int eventSend(long runtime, byte[] json);
    static native int eventSendDurable(long runtime, byte[] json);
    static native byte[] haveText(long runtime);
    static native int takeText(long runtime, byte[] text);
    static native int conditionsSet(long runtime, byte[] json);
    static native int flush(long runtime, long timeoutMs);
    static native long taskCall(long runtime, byte[] name, byte[] function, byte[] argumentJson);
    static native byte[] fileRead(long runtime, byte[] name, byte[] file);
    static native byte[] tableGet(long runtime, byte[] name, byte[] table, byte[] keyJson);
    static native int tablePut(long runtime, byte[] name, byte[] table, byte[] rowJson);
    static native int tableDelete(long runtime, byte[] name, byte[] table, byte[] keyJson);
    static native byte[] tableRange(long runtime, byte[] name, byte[] table, byte[] queryJson);
    static native int consentSet(long runtime, boolean given);
    static native byte[] dataErase(long runtime);
    static native byte[] status(long runtime);

    static native long modelOpen(long runtime, byte[] name);
    static native void modelClose(long model);
    static native byte[] modelInfo(long model);
    static native int[] modelEncode(long model, byte[] text, boolean asText);
    static native byte[] modelDecode(long model, int[] ids, boolean skipSpecials);
    static native long adapterOpen(long runtime, long model, byte[] name);
    static native void adapterClose(long adapter);
    static native byte[] adapterInfo(long adapter);
    // `whole`: mode, pipelined, noFallback, ignoreEnd, seed, topK, maxNew, draftTokens, memoryBytes; `reals`: temperature, topP,
    // repetitionPenalty. Answers as runtimeCreate.
    static native long[] chatCreate(long model, long[] whole, float[] reals, byte[] target, long[] adapters, float[] scales,
        Callback callback);
    static native void chatDestroy(long chat, long callback);
    static native int chatStartText(long chat, byte[] text);
    static native int chatStartMessages(long chat, byte[] json);
    static native int chatStartIds(long chat, int[] ids);
    static native int chatSetMode(long chat, int mode);
    static native int chatCancel(long chat);
    static native byte[] chatStats(long chat);

    static native long streamOpen(byte[] json);
    static native void streamClose(long stream);
    static native int streamSend(long stream, byte[] source, byte[] rowJson);
    static native int streamSendEvent(long stream, byte[] json);
    static native int streamAdvance(long stream, long timeMs);
    static native byte[] streamRead(long stream, long most);
    static native byte[] streamStatus(long stream);

    // Null when the rule matches, else the reason.
    static native byte[] policyMatches(byte[] rule, byte[] attributesJson, byte[] salt);
}
