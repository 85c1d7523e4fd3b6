package ferry;

import java.io.FileDescriptor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A loaded model, with a session of its own; its weights are shared by all of its sessions. Any thread. */
public final class Model implements AutoCloseable {
    private final Handle handle;
    private final List<Io> inputs;
    private final List<Io> outputs;
    private final Session session;

    private Model(long engine, SessionOptions options) {
        handle = new Handle(this, engine, Native::engineClose);
        Session made = null;
        try {
            inputs = Io.all(engine, false);
            outputs = Io.all(engine, true);
            made = new Session(engine, inputs, outputs, options);
        } finally {
            if (made == null) handle.close();
        }
        session = made;
    }

    /** A model file: ONNX, or Ferry's own, which is mapped and must not change meanwhile. */
    public static Model open(Path path) {
        return open(path, new SessionOptions());
    }

    public static Model open(Path path, SessionOptions options) {
        return new Model(Native.engineOpen(Native.bytes(path), false), options);
    }

    /** The same, with all weights of Ferry's own file compared with their checksum. */
    public static Model openVerified(Path path, SessionOptions options) {
        return new Model(Native.engineOpen(Native.bytes(path), true), options);
    }

    /** From a direct buffer, position to limit, which must stay as it is while the model or a session of it lives. */
    public static Model open(ByteBuffer bytes, SessionOptions options) {
        ByteBuffer part = bytes.slice();
        if (!part.isDirect()) {
            part = ByteBuffer.allocateDirect(bytes.remaining());
            part.put(bytes.duplicate()).flip();
        }
        return new Model(Native.engineOpenMemory(part, part.remaining(), false), options);
    }

    /** A part of an open file, as of a resource in an app's archive; length 0: to its end. The file may be closed at once. */
    public static Model open(FileDescriptor file, long offset, long length, SessionOptions options) {
        return new Model(Native.engineOpenDescriptor(file, offset, length, false), options);
    }

    static Model ofPackage(long runtime, String name, SessionOptions options) {
        return new Model(Native.engineOpenPackage(runtime, Native.bytes(name), false), options);
    }

    /** Instruction sets that this machine runs, the slowest first, as a JSON list. */
    public static String isasJson() {
        return Native.text(Native.engineIsas());
    }

    public List<Io> inputs() {
        return inputs;
    }

    public List<Io> outputs() {
        return outputs;
    }

    /** Name, inputs, outputs, nodes, parameters, weight_bytes. */
    public String infoJson() {
        return Native.text(Native.engineInfo(handle.raw()));
    }

    /** Its own session, for one thread at a time. */
    public Session session() {
        return session;
    }

    /** Another runner, for another thread. */
    public Session newSession(SessionOptions options) {
        return new Session(handle.raw(), inputs, outputs, options);
    }

    public Map<String, Tensor> run(Map<String, Tensor> inputs) {
        return session.run(inputs);
    }

    /** Sessions of newSession live on. */
    @Override
    public void close() {
        session.close();
        handle.close();
    }
}
