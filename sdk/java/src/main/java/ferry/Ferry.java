package ferry;

/** The library itself. */
public final class Ferry {
    private Ferry() {}

    /** "0.1.0". */
    public static String version() {
        return Native.text(Native.version());
    }
}
