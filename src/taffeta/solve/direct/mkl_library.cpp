#include "taffeta/solve/direct/mkl_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace taffeta::solve {

namespace {

constexpr const char* file_names[] = {"libmkl_rt.so", "libmkl_rt.so.3", "libmkl_rt.so.2",
                                      "libmkl_rt.so.1"};
constexpr const char* how_to_get =
    "install MKL, e.g. with pip install mkl, and set TAFFETA_MKL to its libmkl_rt or the folder of "
    "that";
constexpr int trial_milliseconds = 30000;

/// A trial that ended well says this last; words of MKL itself may come before.
constexpr char success = '\x06';

std::vector<std::string> candidates(const std::string& path) {
    std::error_code ignored;
    if (!path.empty() && !std::filesystem::is_directory(path, ignored)) return {path};
    std::vector<std::string> files;
    for (const char* name : file_names)
        files.push_back((std::filesystem::path(path) / name).string());
    return files;
}

template <class Function>
bool bind(void* handle, const char* name, Function*& function, std::string& fault) {
    void* const address = dlsym(handle, name);
    if (!address) fault = fmt::format("it has no function {}", name);
    std::memcpy(&function, &address, sizeof address);
    return address != nullptr;
}

/// Loads one file; a sentence about what is wrong, empty when nothing is.
std::string load_file(const std::string& file, MklLibrary& library) {
    // The parts of MKL use the mathematical library without saying so.
    dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    std::string fault;
    int (*set_interface)(int) = nullptr;
    if (!bind(handle, "pardiso", library.pardiso, fault) ||
        !bind(handle, "pardiso_getdiag", library.pardiso_getdiag, fault) ||
        !bind(handle, "MKL_Set_Num_Threads_Local", library.set_threads_here, fault) ||
        !bind(handle, "MKL_Set_Interface_Layer", set_interface, fault))
        return fault;
    // Without effect when somebody else in this process chose before.
    if (set_interface(0) & 1) return "it is in use in this process with 64-bit integers";
    return {};
}

/// 4 x = 8, from nothing to the answer.
bool solves_one_equation(const MklLibrary& library) {
    void* handle[64] = {};
    int iparm[64] = {};
    iparm[0] = iparm[4] = iparm[34] = iparm[55] = 1;
    const int one = 1, type = 2, row_begin[] = {0, 1}, column[] = {0}, silent = 0;
    int order[] = {0}, error = 0;
    const double a[] = {4};
    double b[] = {8}, x[] = {0}, pivot[] = {0}, diagonal[] = {0};
    library.set_threads_here(1);
    for (const int phase : {12, 33}) {
        library.pardiso(handle, &one, &one, &type, &phase, &one, a, row_begin, column, order, &one,
                        iparm, &silent, b, x, &error);
        if (error != 0) return false;
    }
    library.pardiso_getdiag(handle, pivot, diagonal, &one, &error);
    return error == 0 && x[0] == 2 && pivot[0] == 4;
}

[[noreturn]] void try_in_this_process(const std::string& file, int output) {
    std::atexit([] { _exit(1); });  // before all that the program wants done at its end
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    MklLibrary library;
    std::string fault = load_file(file, library);
    if (fault.empty() && !solves_one_equation(library)) fault = "it does not solve 4 x = 8";
    if (fault.empty()) fault = success;
    const auto written = write(output, fault.data(), fault.size());
    _exit(written == ssize_t(fault.size()) ? 0 : 1);
}

/// What the copy says until it ends, or until the time is over.
std::string read_all(int input) {
    std::string text;
    char buffer[512];
    for (pollfd ready{input, POLLIN, 0}; poll(&ready, 1, trial_milliseconds) > 0;) {
        const ssize_t count = read(input, buffer, sizeof buffer);
        if (count <= 0) return text;
        text.append(buffer, std::size_t(count));
        if (text.back() == success) return text;
    }
    return text + "no answer in time";
}

/// Loads and uses the library in a copy of this process; a sentence about what is wrong.
std::string try_in_a_copy(const std::string& file) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe for a trial";
    const pid_t copy = fork();
    if (copy == 0) {
        close(ends[0]);
        try_in_this_process(file, ends[1]);
    }
    close(ends[1]);
    std::string text = copy > 0 ? read_all(ends[0]) : "no process for a trial";
    close(ends[0]);
    if (copy < 0) return text;
    kill(copy, SIGKILL);  // one that gave no answer, or is still busy with ending
    int status = 0;
    waitpid(copy, &status, 0);
    if (!text.empty() && text.back() == success) return {};
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    if (text.empty())
        text = WIFSIGNALED(status) ? fmt::format("a trial ended by signal {}", WTERMSIG(status))
                                   : "a trial ended without a word";
    return text.substr(text.rfind('\n') + 1);
}

}  // namespace

MklLibrary load_mkl(const std::string& path) {
    std::string fault;
    for (const std::string& file : candidates(path)) {
        std::error_code ignored;
        if (!path.empty() && !std::filesystem::exists(file, ignored)) continue;
        MklLibrary library;
        fault = try_in_a_copy(file);
        if (fault.empty()) fault = load_file(file, library);
        if (fault.empty()) return library;
        // Where the loader looks by itself, a file that is not there is one that is not wanted.
        if (path.empty() && fault.find("No such file") != std::string::npos &&
            fault.find(file + ":") == 0)
            fault.clear();
        if (!fault.empty()) return {.lack = {"MKL does not work: " + fault, how_to_get}};
    }
    return {.lack = {path.empty() ? "there is no libmkl_rt on this machine"
                                  : fmt::format("there is no libmkl_rt at TAFFETA_MKL = {}", path),
                     how_to_get}};
}

const MklLibrary& mkl_library() {
    static const MklLibrary library = [] {
        const char* const path = std::getenv("TAFFETA_MKL");
        return load_mkl(path ? path : "");
    }();
    return library;
}

}  // namespace taffeta::solve
