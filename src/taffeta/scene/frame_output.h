#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taffeta/io/frame_sink.h"
#include "taffeta/io/growing_file.h"
#include "taffeta/sim/simulation.h"

namespace taffeta::scene {

/// Hands every `every`-th frame of every body to its sinks, and keeps frames.jsonl: a line a frame
/// with its time and the hash of the state, the fingerprint of the run.
class FrameOutput final : public sim::Observer {
  public:
    struct Options {
        std::filesystem::path directory;  ///< of the frames
        std::filesystem::path index;      ///< frames.jsonl
        std::vector<std::string> formats;
        int every = 1;
        double frame_rate = 24;
        int frames = 0;  ///< planned, the initial state not counted
        bool z_up = false;
    };
    /// `frames_done`: of a resumed run, the initial state not counted; -1 for a fresh one.
    FrameOutput(const sim::World& world, const Options& options, int frames_done);

    void on_frame(const sim::World& world, int frame) override;
    void close();

  private:
    struct Series {
        std::unique_ptr<io::FrameSink> sink;
        std::size_t body;
    };
    std::vector<Series> series_;
    io::GrowingFile index_;
    int every_;
    VecX x_, v_;
};

}  // namespace taffeta::scene
