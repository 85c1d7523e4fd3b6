package ferry;

import java.util.Locale;

/** Types of elements. Those of 4 and 2 bits have a byte each. */
public enum Type {
    F32(1), U8(2), I8(3), U16(4), I16(5), I32(6), I64(7), STRING(8), BOOL(9), F16(10), F64(11), U32(12), U64(13), BF16(16),
    F8E4M3FN(17), F8E4M3FNUZ(18), F8E5M2(19), F8E5M2FNUZ(20), U4(21), I4(22), F4E2M1(23), F8E8M0(24), U2(25), I2(26);

    private static final Type[] BY_NUMBER = new Type[32];

    static {
        for (Type type : values()) BY_NUMBER[type.number] = type;
    }

    final int number;
    private final int bytes;

    Type(int number) {
        this.number = number;
        this.bytes = (int) Native.typeBytes(number);
    }

    /** Of one element in memory. */
    public int bytes() {
        return bytes;
    }

    static Type of(int number) {
        return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    }

    /** "f32". */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
