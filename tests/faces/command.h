#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

extern char** environ;

/// Runs the command as a user would.
namespace taffeta::test {

/// A running command whose output is read here; it is ended with the object.
class Command {
  public:
    explicit Command(const std::vector<std::string>& arguments) {
        std::vector<std::string> words = {TAFFETA_COMMAND};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (std::string& word : words)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);

        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        if (posix_spawn(&child_, TAFFETA_COMMAND, &actions, nullptr, pointers.data(), environ) != 0)
            child_ = -1;
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        output_ = ends[0];
    }
    ~Command() {
        if (child_ > 0) {
            kill(child_, SIGTERM);
            waitpid(child_, nullptr, 0);
        }
        close(output_);
    }
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    /// The next line of output, stdout and stderr together; empty at the end.
    std::string line() {
        std::string text;
        for (char byte = 0; read(output_, &byte, 1) == 1 && byte != '\n';)
            text += byte;
        return text;
    }

    /// Waits for the end; the exit status, -1 when it was killed.
    int wait() {
        int status = 0;
        for (char byte = 0; read(output_, &byte, 1) == 1;)
            text_ += byte;
        waitpid(child_, &status, 0);
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    /// What `wait` read.
    const std::string& text() const { return text_; }

  private:
    pid_t child_ = -1;
    int output_ = -1;
    std::string text_;
};

}  // namespace taffeta::test
