#pragma once

#include "taffeta/solve/linear_solver.h"

namespace taffeta::solve {

/// What the solver `pardiso` calls in Intel's Math Kernel Library, which is neither free nor packaged
/// where Taffeta is built: it is loaded when it is first asked for, and its functions are declared
/// here after its manual. Integers are 32-bit ones (its LP64 interface).
struct MklLibrary {
    using Pardiso = void(void** handle, const int* factors, const int* matrix, const int* type,
                         const int* phase, const int* n, const void* a, const int* row_begin,
                         const int* column, int* order, const int* right_sides, int* iparm,
                         const int* print, void* b, void* x, int* error);
    using Diagonal = void(void** handle, void* of_factor, void* of_matrix, const int* matrix,
                          int* error);

    Pardiso* pardiso = nullptr;
    Diagonal* pardiso_getdiag = nullptr;
    int (*set_threads_here)(int threads) =
        nullptr;       ///< of the calling thread; returns the old number
    Unavailable lack;  ///< why the pointers above are null, when they are
};

/// Looks for the library once a process: in the file or folder TAFFETA_MKL where that is set, else
/// as libmkl_rt wherever the loader looks.
///
/// MKL ends the program when a part of it is missing or does not fit. So a copy of this process tries
/// the library first, on a system of one equation; if that does not end well, it is never loaded here.
const MklLibrary& mkl_library();

/// The same without the memory: `path` is the file or folder, empty for wherever the loader looks.
MklLibrary load_mkl(const std::string& path);

}  // namespace taffeta::solve
