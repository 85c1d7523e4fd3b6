package ferry;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A runner of a model with activations of its own. One run at a time: a second thread is told so (failed_precondition), and
 * uses a session of its own.
 *
 * Inputs are read and outputs written where they lie. Copied are outputs alone whose shape depends on values of the run, and
 * texts.
 */
public final class Session implements AutoCloseable {
    // Of ferry_tensor; jni.cc holds them to it.
    private static final int STRUCT = 104, NAME = 8, TYPE = 16, RANK = 20, SHAPE = 24, DATA = 88, BYTES = 96, MOST_RANK = 8;

    private final Handle handle;
    private final List<Io> inputs;
    private final List<Io> outputs;
    private final ByteBuffer structs;
    private final long inputsAddress;
    private final long outputsAddress;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final Tensor[] given;    // inputs of the run under way
    private final Tensor[] results;  // its outputs, null where the library's memory is used
    private final int[] wanted;      // which of the model's outputs the structs are
    private int wantedCount;
    // Of the last inputs, and what they give; null where it is not known.
    private final Type[] inputTypes;
    private final long[][] inputShapes;
    private final Type[] outputTypes;
    private final long[][] outputShapes;
    private boolean dynamic;  // shapes depend on values: the library's memory, copied after the run

    Session(long engine, List<Io> inputs, List<Io> outputs, SessionOptions options) {
        this.inputs = inputs;
        this.outputs = outputs;
        handle = new Handle(this, options.create(engine), Native::sessionDestroy);
        structs = ByteBuffer.allocateDirect((inputs.size() + outputs.size() + 1) * STRUCT).order(ByteOrder.nativeOrder());
        inputsAddress = Native.address(structs);
        outputsAddress = inputsAddress + (long) inputs.size() * STRUCT;
        given = new Tensor[inputs.size()];
        results = new Tensor[outputs.size()];
        wanted = new int[outputs.size()];
        inputTypes = new Type[inputs.size()];
        inputShapes = new long[inputs.size()][];
        outputTypes = new Type[outputs.size()];
        outputShapes = new long[outputs.size()][];
        dynamic = infoJson().contains("\"is_static\":false");
    }

    /** All outputs, in memory of their own. */
    public Map<String, Tensor> run(Map<String, Tensor> inputs) {
        return run(inputs, null);
    }

    /** The outputs that are named, each in the tensor's memory, or in memory of its own where there is none (null). */
    public Map<String, Tensor> run(Map<String, Tensor> inputs, Map<String, Tensor> outputs) {
        take();
        try {
            bind(inputs, outputs);
            int code = Native.run(handle.raw(), inputsAddress, given.length, outputsAddress, wantedCount);
            if (asked(code)) {
                answer();
                code = Native.run(handle.raw(), inputsAddress, given.length, outputsAddress, wantedCount);
            }
            Native.check(code);
            return collect();
        } finally {
            release();
            Reference.reachabilityFence(inputs);
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The same on a thread of the library, on which what depends on the future goes on. Cancelling the future ends the run
     * before its next node.
     */
    public CompletableFuture<Map<String, Tensor>> runAsync(Map<String, Tensor> inputs, Map<String, Tensor> outputs) {
        Run run = new Run();
        try {
            take();
        } catch (FerryException busy) {
            run.completeExceptionally(busy);
            return run;
        }
        try {
            bind(inputs, outputs);
            start(run);
        } catch (Throwable failed) {
            release();
            run.completeExceptionally(failed);
        }
        return run;
    }

    private void start(Run run) {
        Native.check(Native.runAsync(handle.raw(), inputsAddress, given.length, outputsAddress, wantedCount, run));
    }

    // Keeps the session, and with it the memory of the run, until the library is done.
    private final class Run extends CompletableFuture<Map<String, Tensor>> implements Native.Callback {
        @Override
        public void call(int kind, int code, byte[] text, int[] ids) {
            Map<String, Tensor> results = null;
            Throwable failure = null;
            try {
                if (asked(code) && !isDone()) {
                    answer();
                    start(this);
                    return;
                }
                if (code != 0) throw new FerryException(code, Native.text(text));
                results = collect();
            } catch (Throwable failed) {
                failure = failed;
            }
            release();
            if (failure == null) complete(results);
            else completeExceptionally(failure);
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean cancelled = super.cancel(mayInterrupt);
            if (cancelled) Native.cancel(handle.raw());  // whatever it says: a closed session runs nothing
            return cancelled;
        }
    }

    /** Plans for these inputs' shapes, so that the first run does not. */
    public void resize(Map<String, Tensor> inputs) {
        take();
        try {
            bind(inputs, null);
            Native.check(Native.resize(handle.raw(), inputsAddress, given.length));
        } finally {
            release();
            Reference.reachabilityFence(inputs);
            Reference.reachabilityFence(this);
        }
    }

    /** Ends what runs, before its next node, with the error "cancelled"; any thread. */
    public void cancel() {
        Native.check(Native.cancel(handle.raw()));
    }

    /** Steps, arena_bytes, is_static, threads, isa of the plan in force. */
    public String infoJson() {
        return Native.text(Native.sessionInfo(handle.raw()));
    }

    /** Each step of the plan with the median time of its latest runs; needs SessionOptions.profile. */
    public String profileJson() {
        return Native.text(Native.sessionProfile(handle.raw()));
    }

    /** Cancels and waits for a run of runAsync. */
    @Override
    public void close() {
        handle.close();
    }

    private void release() {
        java.util.Arrays.fill(given, null);
        java.util.Arrays.fill(results, null);
        busy.set(false);
    }

    private void take() {
        if (!busy.compareAndSet(false, true))
            throw new FerryException(FerryException.FAILED_PRECONDITION,
                "session runs in another call: one thread at a time, or a session each (Model.newSession)");
    }

    private void bind(Map<String, Tensor> inputs, Map<String, Tensor> outputs) {
        boolean same = true;
        for (int i = 0; i < given.length; ++i) {
            Tensor tensor = inputs.get(this.inputs.get(i).name());
            if (tensor == null) inputTypes[0] = null;  // what was bound so far is no run's
            if (tensor == null) throw missing(inputs, this.inputs.get(i).name());
            same &= tensor.type() == inputTypes[i] && java.util.Arrays.equals(tensor.extents(), inputShapes[i]);
            inputTypes[i] = tensor.type();
            inputShapes[i] = tensor.extents();
            given[i] = tensor;
            put(i * STRUCT, tensor);
        }
        if (inputs.size() != given.length) refuseUnknown("input", this.inputs, inputs);
        if (!same) java.util.Arrays.fill(outputTypes, null);
        wantedCount = 0;
        for (int i = 0; i < results.length; ++i) bindOutput(i, outputs);
        if (outputs != null && wantedCount != outputs.size()) refuseUnknown("output", this.outputs, outputs);
    }

    private FerryException missing(Map<String, Tensor> inputs, String name) {
        refuseUnknown("input", this.inputs, inputs);
        return FerryException.of(FerryException.INVALID_ARGUMENT, "input '%s' is missing", name);
    }

    private static void refuseUnknown(String what, List<Io> known, Map<String, Tensor> given) {
        for (String name : given.keySet())
            if (known.stream().noneMatch(io -> io.name().equals(name)))
                throw FerryException.of(FerryException.INVALID_ARGUMENT, "the model has no %s '%s'; it has %s", what, name,
                    Io.names(known));
    }

    private void put(int at, Tensor tensor) {
        long[] shape = tensor.extents();
        if (shape.length > MOST_RANK)
            throw FerryException.of(FerryException.SHAPE_MISMATCH, "a shape has at most %d extents, not %d", MOST_RANK, shape.length);
        structs.putLong(at, STRUCT);
        structs.putLong(at + NAME, 0);
        structs.putInt(at + TYPE, tensor.type().number);
        structs.putInt(at + RANK, shape.length);
        for (int axis = 0; axis < shape.length; ++axis) structs.putLong(at + SHAPE + axis * Long.BYTES, shape[axis]);
        structs.putLong(at + DATA, tensor.address);
        structs.putLong(at + BYTES, tensor.size);
    }

    private void bindOutput(int i, Map<String, Tensor> outputs) {
        Io io = this.outputs.get(i);
        results[i] = null;
        if (outputs != null && !outputs.containsKey(io.name())) return;
        Tensor own = outputs == null ? null : outputs.get(io.name());
        if (own != null && own.type() != io.type() && io.type() != null)
            throw FerryException.of(FerryException.SHAPE_MISMATCH, "output '%s' is %s, memory of %s is given", io.name(), io.type(),
                own.type());
        if (own != null && own.isReadOnly())
            throw FerryException.of(FerryException.INVALID_ARGUMENT, "output '%s': its buffer is read-only", io.name());
        if (own == null && !dynamic && outputTypes[i] != null && outputTypes[i] != Type.STRING)
            own = Tensor.allocate(outputTypes[i], outputShapes[i]);
        int at = structAt(wantedCount);
        structs.putLong(at, STRUCT);
        structs.putLong(at + NAME, io.nameAddress);
        structs.putInt(at + TYPE, 0);
        structs.putInt(at + RANK, 0);
        if (own != null && own.type() != Type.STRING) {
            results[i] = own;
            structs.putLong(at + DATA, own.address);
            structs.putLong(at + BYTES, own.size);
        } else {
            // Without room: the run tells how much it needs. Any address will do.
            structs.putLong(at + DATA, dynamic || io.type() == Type.STRING ? 0 : inputsAddress);
            structs.putLong(at + BYTES, 0);
        }
        wanted[wantedCount++] = i;
    }

    private int structAt(int output) {
        return (given.length + output) * STRUCT;
    }

    // Whether a run ended because an output that had no memory yet wants room.
    private boolean asked(int code) {
        if (code != FerryException.SHAPE_MISMATCH || wantedCount == 0 || structs.getInt(structAt(0) + TYPE) == 0) return false;
        for (int k = 0; k < wantedCount; ++k)
            if (results[wanted[k]] == null && structs.getLong(structAt(k) + DATA) != 0) return true;
        return false;
    }

    private void answer() {
        dynamic = infoJson().contains("\"is_static\":false");
        for (int k = 0; k < wantedCount; ++k) {
            int at = structAt(k), i = wanted[k];
            outputTypes[i] = Type.of(structs.getInt(at + TYPE));
            outputShapes[i] = shapeAt(at);
            if (results[i] == null && !dynamic && outputTypes[i] != Type.STRING)
                results[i] = Tensor.allocate(outputTypes[i], outputShapes[i]);
            structs.putLong(at + DATA, results[i] == null ? 0 : results[i].address);
            structs.putLong(at + BYTES, results[i] == null ? 0 : results[i].size);
        }
    }

    private long[] shapeAt(int at) {
        long[] shape = new long[structs.getInt(at + RANK)];
        for (int axis = 0; axis < shape.length; ++axis) shape[axis] = structs.getLong(at + SHAPE + axis * Long.BYTES);
        return shape;
    }

    private Map<String, Tensor> collect() {
        Map<String, Tensor> out = new LinkedHashMap<>();
        for (int k = 0; k < wantedCount; ++k) {
            int at = structAt(k), i = wanted[k];
            Type type = Type.of(structs.getInt(at + TYPE));
            long[] shape = shapeAt(at);
            long bytes = structs.getLong(at + BYTES);
            outputTypes[i] = type;
            outputShapes[i] = shape;
            out.put(outputs.get(i).name(), results[i] == null
                ? Tensor.copy(type, shape, structs.getLong(at + DATA), bytes) : results[i].withShape(type, shape, bytes));
            results[i] = null;
        }
        return out;
    }
}
