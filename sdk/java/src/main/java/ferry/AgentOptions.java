package ferry;

import java.nio.file.Path;
import java.time.Duration;

/** Of Runtime.startAgent; each setter answers the same object. */
public final class AgentOptions {
    final Path directory;
    String joinToken;
    String profileJson;
    boolean push = true;
    long pollMs;
    byte[] atRestKey;
    boolean forgetSealed;

    /** The device's state: keys, packages, queue; made when missing. */
    public AgentOptions(Path directory) {
        this.directory = directory;
    }

    /** Needed the first time. */
    public AgentOptions joinToken(String joinToken) {
        this.joinToken = joinToken;
        return this;
    }

    /** {"os","app_version","device_class","tags","extra","user"}; left out: as it was. */
    public AgentOptions profileJson(String profileJson) {
        this.profileJson = profileJson;
        return this;
    }

    /** false: finds out by polling alone. */
    public AgentOptions push(boolean push) {
        this.push = push;
        return this;
    }

    public AgentOptions poll(Duration poll) {
        this.pollMs = poll.toMillis();
        return this;
    }

    /** 32 bytes of the system's key store that seal packages and queues on the disk. */
    public AgentOptions atRestKey(byte[] key) {
        this.atRestKey = key.clone();
        return this;
    }

    /** What lies sealed under a key that is lost is removed. */
    public AgentOptions forgetSealed(boolean forgetSealed) {
        this.forgetSealed = forgetSealed;
        return this;
    }
}
