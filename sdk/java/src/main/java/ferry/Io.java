package ferry;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** An input or output as a model declares it. */
public final class Io {
    private final String name;
    private final Type type;
    private final String kind;
    private final long[] shape;
    private final List<String> symbols;
    private final double scale;
    private final long zeroPoint;
    final long nameAddress;

    private Io(byte[][] texts, long[] numbers, double scale) {
        int rank = (int) numbers[1];
        name = Native.text(texts[0]);
        kind = Native.text(texts[1]);
        type = Type.of((int) numbers[0]);
        shape = rank < 0 ? null : java.util.Arrays.copyOfRange(numbers, 2, 2 + rank);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < Math.max(rank, 0); ++i) names.add(Native.text(texts[2 + i]));
        symbols = Collections.unmodifiableList(names);
        zeroPoint = numbers[10];
        nameAddress = numbers[11];
        this.scale = scale;
    }

    static List<Io> all(long engine, boolean outputs) {
        List<Io> all = new ArrayList<>();
        while (true) {
            long[] numbers = new long[12];
            double[] reals = new double[1];
            byte[][] texts = Native.engineIo(engine, outputs, all.size(), numbers, reals);
            if (texts == null) return Collections.unmodifiableList(all);
            all.add(new Io(texts, numbers, reals[0]));
        }
    }

    public String name() {
        return name;
    }

    public Type type() {
        return type;
    }

    /** "" for a tensor; "sequence", "optional", ..: this package cannot run it. */
    public String kind() {
        return kind;
    }

    /** -1 where an extent is free; null: known only after a run. */
    public long[] shape() {
        return shape == null ? null : shape.clone();
    }

    /** Names of free extents; "" where there is none. */
    public List<String> symbols() {
        return symbols;
    }

    /** Of integers that stand for reals, scale * (integer - zeroPoint); 0: they do not. */
    public double scale() {
        return scale;
    }

    public long zeroPoint() {
        return zeroPoint;
    }

    @Override
    public String toString() {
        return name + " " + type + (shape == null ? "" : " " + java.util.Arrays.toString(shape));
    }

    static String names(List<Io> all) {
        StringBuilder out = new StringBuilder();
        for (Io io : all) out.append(out.length() == 0 ? "'" : ", '").append(io.name).append("'");
        return out.toString();
    }
}
