package ferry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Tasks, events and the line to the server. Any thread. Texts that end in Json are JSON, as ferry.h describes it.
 *
 * Results come on a thread of the runtime, one at a time; their consumer may send events, but not flush or close. What it
 * throws goes to that thread's handler of uncaught exceptions.
 */
public final class Runtime implements AutoCloseable {
    private final Handle handle;

    public Runtime() {
        this(new RuntimeOptions(), null);
    }

    /** `onResult` gets each result or failure of a task as JSON; it must not refer to this runtime if nothing closes that. */
    public Runtime(RuntimeOptions options, Consumer<String> onResult) {
        Native.Callback callback = (kind, number, text, ids) -> {
            if (onResult != null) onResult.accept(Native.text(text));
        };
        long[] made = Native.runtimeCreate(options.threads, options.outbox == null ? null : Native.bytes(options.outbox),
            options.kvBytes, options.atRestKey, callback);
        long kept = made[1];
        handle = new Handle(this, made[0], raw -> Native.runtimeDestroy(raw, kept));
    }

    /** Opens a package file, checks it whole, runs its probe and keeps its task running: local-only. */
    public void openTask(Path packagePath) {
        Native.check(Native.taskOpen(handle.raw(), Native.bytes(packagePath)));
    }

    /** Joins, then pulls, verifies, installs and runs what is released to this device; statusJson tells how it goes. */
    public void startAgent(AgentOptions options) {
        Native.check(Native.agentStart(handle.raw(), Native.bytes(options.directory), Native.bytes(options.joinToken),
            Native.bytes(options.profileJson), options.push, options.pollMs, options.atRestKey, options.forgetSealed));
    }

    /** {"id","page","time_ms","data"} to all running tasks. */
    public void send(String eventJson) {
        Native.check(Native.eventSend(handle.raw(), Native.bytes(eventJson)));
    }

    /** The same; the event is on the disk when this returns. Needs the agent. */
    public void sendDurable(String eventJson) {
        Native.check(Native.eventSendDurable(handle.raw(), Native.bytes(eventJson)));
    }

    /** For any request of the app to its own server; empty while there is none. */
    public String haveText() {
        return Native.text(Native.haveText(handle.raw()));
    }

    /** What its server got for it at POST /api/v1/have. */
    public void takeText(String text) {
        Native.check(Native.takeText(handle.raw(), Native.bytes(text)));
    }

    /** {"idle","charging","unmetered","utc_offset_minutes"}, each of which may be left out. Needs the agent. */
    public void setConditions(String conditionsJson) {
        Native.check(Native.conditionsSet(handle.raw(), Native.bytes(conditionsJson)));
    }

    /** Until all events sent before to tasks of openTask are done; "deadline_exceeded". */
    public void flush(Duration timeout) {
        Native.check(Native.flush(handle.raw(), timeout.toMillis()));
    }

    /** Calls a function of a task's script; the result comes to onResult with this number as its member "call". */
    public long call(String name, String function, String argumentJson) {
        return Native.taskCall(handle.raw(), Native.bytes(name), Native.bytes(function), Native.bytes(argumentJson));
    }

    /** A file of a task, as its script reads it. */
    public byte[] readFile(String name, String file) {
        return Native.fileRead(handle.raw(), Native.bytes(name), Native.bytes(file));
    }

    /** The row under a list of key values; "null" when there is none. */
    public String tableGet(String name, String table, String keyJson) {
        return Native.text(Native.tableGet(handle.raw(), Native.bytes(name), Native.bytes(table), Native.bytes(keyJson)));
    }

    /** A commit of its own, on the disk when this returns. */
    public void tablePut(String name, String table, String rowJson) {
        Native.check(Native.tablePut(handle.raw(), Native.bytes(name), Native.bytes(table), Native.bytes(rowJson)));
    }

    public void tableDelete(String name, String table, String keyJson) {
        Native.check(Native.tableDelete(handle.raw(), Native.bytes(name), Native.bytes(table), Native.bytes(keyJson)));
    }

    /** A list of rows for {"prefix","limit","descending"}, each of which may be left out; null: all. */
    public String tableRange(String name, String table, String queryJson) {
        return Native.text(Native.tableRange(handle.raw(), Native.bytes(name), Native.bytes(table), Native.bytes(queryJson)));
    }

    /** Whether rows of tasks may go to the server; kept. */
    public void setConsent(boolean given) {
        Native.check(Native.consentSet(handle.raw(), given));
    }

    /** Removes what is known of who uses the app; the receipt. */
    public String eraseData() {
        return Native.text(Native.dataErase(handle.raw()));
    }

    public String statusJson() {
        return Native.text(Native.status(handle.raw()));
    }

    /** The model "package:model" of a task. */
    public Model model(String name, SessionOptions options) {
        return Model.ofPackage(handle.raw(), name, options);
    }

    /** A folder, a .flm file or "package:model". */
    public LanguageModel languageModel(String name) {
        return new LanguageModel(this, Native.modelOpen(handle.raw(), Native.bytes(name)));
    }

    long raw() {
        return handle.raw();
    }

    /** Finishes the events sent so far; their results have come when this returns. */
    @Override
    public void close() {
        handle.closeOutside();
    }
}
