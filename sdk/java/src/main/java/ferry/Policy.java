package ferry;

import java.util.Optional;

/** Rules of policies. */
public final class Policy {
    private Policy() {}

    /** Nothing when the rule reaches a device with these attributes; else the first condition that failed, in words. */
    public static Optional<String> whyNot(String rule, String attributesJson, String salt) {
        return Optional.ofNullable(
            Native.text(Native.policyMatches(Native.bytes(rule), Native.bytes(attributesJson), Native.bytes(salt))));
    }

    public static boolean matches(String rule, String attributesJson, String salt) {
        return whyNot(rule, attributesJson, salt).isEmpty();
    }
}
