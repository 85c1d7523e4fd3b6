// This test program as the child of its own tests: started as `PROGRAM simulate FILE`, or graph, it
// does what the lines of the file say, one act each, and never comes to its tests. It stands for
// what a package could do that broke out of its interpreter.
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

namespace ferry::server {
namespace {

// One word for what came of a call.
void Say(const char* act, long result) {
  std::printf("%s: %s\n", act, result >= 0 ? "done" : strerrorname_np(errno));
}

void Print(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line); std::printf("\n"))
    std::fwrite(line.data(), 1, line.size(), stdout);  // with zeros
  if (!file.is_open()) std::printf("cannot be read\n");
}

void Files(const std::string& act, const char* path) {
  if (act == "open") Say("open", open(path, O_RDONLY));
  if (act == "write") Say("write", open(path, O_WRONLY));
  if (act == "create") Say("create", open(path, O_WRONLY | O_CREAT, 0600));
  if (act == "append") Say("append", open(path, O_RDWR | O_APPEND));
  if (act == "truncate") Say("truncate", truncate(path, 0));
  if (act == "remove") Say("remove", unlink(path));
  if (act == "rename") Say("rename", rename(path, "/tmp/other"));
  if (act == "chmod") Say("chmod", chmod(path, 0777));
  if (act == "link") Say("link", symlink(path, "/tmp/link"));
  if (act == "folder") Say("folder", mkdir(path, 0700));
  if (act == "print") Print(path);
  open_how how = {.flags = O_RDWR};
  if (act == "openat2") Say("openat2", syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
}

void Processes(const std::string& act, const std::string& argument) {
  const pid_t other = static_cast<pid_t>(std::atoi(argument.c_str()));
  char* const none[] = {nullptr};
  char byte;
  iovec mine = {&byte, 1}, theirs = {&byte, 1};
  if (act == "socket") Say("socket", socket(AF_INET, SOCK_STREAM, 0));
  if (act == "unix") Say("unix", socket(AF_UNIX, SOCK_STREAM, 0));
  if (act == "exec") Say("exec", execve(argument.c_str(), none, none));
  if (act == "execveat") Say("execveat", syscall(SYS_execveat, 256, "", none, none, AT_EMPTY_PATH));
  if (act == "fork") Say("fork", fork());
  if (act == "ptrace") Say("ptrace", ptrace(PTRACE_ATTACH, other, nullptr, nullptr));
  if (act == "vm_read") Say("vm_read", process_vm_readv(other, &mine, 1, &theirs, 1, 0));
  if (act == "kill") Say("kill", kill(other, SIGTERM));
  if (act == "tgkill") Say("tgkill", tgkill(other, other, SIGTERM));
  if (act == "setuid") Say("setuid", setuid(0));
  if (act == "mount") Say("mount", mount("none", "/mnt", "tmpfs", 0, nullptr));
  if (act == "unshare") Say("unshare", unshare(CLONE_NEWUSER));
  if (act == "dup") Say("dup", fcntl(0, F_DUPFD, 256));
  if (act == "user") std::printf("%d %d %d\n", getuid(), getgid(), getgroups(0, nullptr));
  if (act == "secret") std::printf("secret: %s\n", std::getenv("FERRY_TEST_SECRET"));
  if (act == "thread") std::thread([] { std::printf("a thread\n"); }).join();
}

// abort() may not send its signal, and so ends by an instruction that faults. A sanitizer's handler
// of that would start a program that names the places, which is a call that no simulation may make.
void Crash() {
  signal(SIGSEGV, SIG_DFL);
  std::abort();
}

// Without what runs at exit: a leak checker would start a process there, which no simulation may.
[[noreturn]] void End(int code) {
  std::fflush(nullptr);
  _exit(code);
}

void Act(const std::string& line) {
  const std::string act = line.substr(0, line.find(' '));
  const std::string argument = act.size() < line.size() ? line.substr(act.size() + 1) : "";
  if (act == "out") std::printf("%s\n", argument.c_str());
  if (act == "err") std::fprintf(stderr, "%s\n", argument.c_str());
  if (act == "exit") End(std::atoi(argument.c_str()));
  if (act == "crash") Crash();
  if (act == "sleep") sleep(30);
  while (act == "flood") std::printf("yes\n");
  Files(act, argument.c_str());
  Processes(act, argument);
  std::fflush(stdout);
}

// Before main(), which would run the tests.
[[gnu::constructor]] void DoActs(int count, char** arguments, char**) {
  if (count < 3) return;
  const std::string command = arguments[1];
  if (command != "simulate" && command != "graph") return;
  std::ifstream file(arguments[2]);
  if (!file.is_open()) End(3);
  for (std::string line; std::getline(file, line);) Act(line);
  End(0);
}

}  // namespace
}  // namespace ferry::server
