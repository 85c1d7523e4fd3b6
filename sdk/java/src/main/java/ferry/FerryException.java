package ferry;

/** What a call that failed throws; the message says what and where. */
public final class FerryException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int code;

    FerryException(int code, String message) {
        super(message);
        this.code = code;
    }

    /** One that an app throws itself, to say no in the platform's words. */
    static FerryException of(int code, String format, Object... values) {
        return new FerryException(code, String.format(format, values));
    }

    /** The number in the error table: 72. */
    public int code() {
        return code;
    }

    /** Its name: "shape_mismatch". */
    public String name() {
        return Native.text(Native.codeName(code));
    }

    @Override
    public String toString() {
        return name() + ": " + getMessage();
    }

    // Numbers of the table that this side throws by itself.
    static final int INVALID_ARGUMENT = 1;
    static final int FAILED_PRECONDITION = 6;
    static final int CANCELLED = 15;
    static final int SHAPE_MISMATCH = 72;
}
