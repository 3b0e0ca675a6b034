#pragma once

#include <mpi.h>

#include <cstdlib>

namespace taffeta::app {

/// Starts MPI once a process, as its only rank and without a daemon beside it.
inline void begin_mpi() {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun) return;
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    MPI_Init(nullptr, nullptr);
    std::atexit([] {
        int ended = 0;
        MPI_Finalized(&ended);
        if (!ended) MPI_Finalize();
    });
}

}  // namespace taffeta::app
