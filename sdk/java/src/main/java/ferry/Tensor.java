package ferry;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * An input or output of a run: dense elements, row-major, in a direct buffer that the library reads and writes where it is.
 * A tensor of texts keeps strings instead.
 */
public final class Tensor {
    private final Type type;
    private final long[] shape;
    private final ByteBuffer bytes;
    private final String[] texts;
    final long address;
    final long size;

    private Tensor(Type type, long[] shape, ByteBuffer bytes, long address, String[] texts) {
        this.type = type;
        this.shape = shape;
        this.bytes = bytes;
        this.address = address;
        this.size = bytes.remaining();
        this.texts = texts;
    }

    /** From the buffer's position to its limit; it must be direct, with as many bytes as the shape asks for. */
    public static Tensor of(Type type, ByteBuffer bytes, long... shape) {
        if (type == Type.STRING)
            throw FerryException.of(FerryException.INVALID_ARGUMENT, "texts come in strings: Tensor.of(String[], ..)");
        long address = addressOf(bytes);
        return new Tensor(type, shape.clone(), bytes.slice().order(ByteOrder.nativeOrder()), address + bytes.position(), null);
    }

    /** New memory. */
    public static Tensor allocate(Type type, long... shape) {
        long count = elements(shape);
        if (count < 0 || count > Integer.MAX_VALUE / type.bytes())
            throw FerryException.of(FerryException.SHAPE_MISMATCH, "a buffer of Java holds no %s", describe(type, shape));
        ByteBuffer bytes = ByteBuffer.allocateDirect((int) count * type.bytes()).order(ByteOrder.nativeOrder());
        return of(type, bytes, shape);
    }

    /** A copy of these numbers. */
    public static Tensor of(float[] values, long... shape) {
        Tensor out = allocate(Type.F32, shapeOf(values.length, shape));
        out.floats().put(values);
        return out;
    }

    /** A copy of these numbers. */
    public static Tensor of(int[] values, long... shape) {
        Tensor out = allocate(Type.I32, shapeOf(values.length, shape));
        out.ints().put(values);
        return out;
    }

    /** A copy of these numbers. */
    public static Tensor of(long[] values, long[] shape) {
        Tensor out = allocate(Type.I64, shapeOf(values.length, shape));
        out.longs().put(values);
        return out;
    }

    /** Texts. */
    public static Tensor of(String[] texts, long... shape) {
        byte[][] utf8 = new byte[texts.length][];
        int size = texts.length * Long.BYTES;
        for (int i = 0; i < texts.length; ++i) {
            if (texts[i] == null) throw FerryException.of(FerryException.INVALID_ARGUMENT, "text %d is null", i);
            utf8[i] = Native.bytes(texts[i]);
            size += utf8[i].length;
        }
        // Addresses, then what they point to.
        ByteBuffer memory = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
        long address = addressOf(memory);
        int at = texts.length * Long.BYTES;
        for (int i = 0; i < texts.length; ++i) {
            memory.putLong(i * Long.BYTES, address + at);
            memory.position(at);
            memory.put(utf8[i]);
            at += utf8[i].length;
        }
        memory.position(0).limit(texts.length * Long.BYTES);
        return new Tensor(Type.STRING, shapeOf(texts.length, shape), memory, address, texts.clone());
    }

    // Of the library's own memory, which is about to go.
    static Tensor copy(Type type, long[] shape, long from, long bytes) {
        if (type == Type.STRING) {
            String[] texts = new String[(int) (bytes / Long.BYTES)];
            for (int i = 0; i < texts.length; ++i) texts[i] = Native.text(Native.textAt(from, i));
            return of(texts, shape);
        }
        Tensor out = allocate(type, shape);
        if (bytes > 0) Native.copy(from, out.address, bytes);
        return out;
    }

    // The same memory as an output has used it.
    Tensor withShape(Type type, long[] shape, long bytes) {
        if (type == this.type && bytes == size && java.util.Arrays.equals(shape, this.shape)) return this;
        ByteBuffer part = this.bytes.duplicate();
        part.limit((int) bytes);
        return new Tensor(type, shape, part.slice().order(ByteOrder.nativeOrder()), address, null);
    }

    public Type type() {
        return type;
    }

    public long[] shape() {
        return shape.clone();
    }

    boolean isReadOnly() {
        return bytes.isReadOnly();
    }

    long[] extents() {
        return shape;
    }

    /** The elements' bytes, in the machine's order; not of texts. */
    public ByteBuffer bytes() {
        require(type != Type.STRING, "bytes");
        return bytes.duplicate().order(ByteOrder.nativeOrder());
    }

    public FloatBuffer floats() {
        require(type == Type.F32, "floats");
        return bytes.asFloatBuffer();
    }

    public DoubleBuffer doubles() {
        require(type == Type.F64, "doubles");
        return bytes.asDoubleBuffer();
    }

    public IntBuffer ints() {
        require(type == Type.I32 || type == Type.U32, "ints");
        return bytes.asIntBuffer();
    }

    public LongBuffer longs() {
        require(type == Type.I64 || type == Type.U64, "longs");
        return bytes.asLongBuffer();
    }

    public ShortBuffer shorts() {
        require(type.bytes() == Short.BYTES, "shorts");
        return bytes.asShortBuffer();
    }

    public String[] texts() {
        require(type == Type.STRING, "texts");
        return texts.clone();
    }

    @Override
    public String toString() {
        return describe(type, shape);
    }

    private void require(boolean fits, String what) {
        if (!fits) throw FerryException.of(FerryException.SHAPE_MISMATCH, "%s are no %s", describe(type, shape), what);
    }

    static String describe(Type type, long[] shape) {
        return type + " " + java.util.Arrays.toString(shape);
    }

    // -1 when it is beyond numbers.
    private static long elements(long[] shape) {
        try {
            long count = 1;
            for (long extent : shape) count = Math.multiplyExact(count, extent < 0 ? Long.MAX_VALUE : extent);
            return count;
        } catch (ArithmeticException tooMany) {
            return -1;
        }
    }

    private static long[] shapeOf(int length, long[] shape) {
        long[] out = shape.length == 0 && length != 1 ? new long[] {length} : shape.clone();
        if (elements(out) == length) return out;
        throw FerryException.of(FerryException.SHAPE_MISMATCH, "%d elements for the shape %s", length,
            java.util.Arrays.toString(shape));
    }

    private static long addressOf(Buffer buffer) {
        if (!buffer.isDirect())
            throw FerryException.of(FerryException.INVALID_ARGUMENT, "the buffer is not direct: ByteBuffer.allocateDirect makes one that is");
        return Native.address(buffer);
    }
}
