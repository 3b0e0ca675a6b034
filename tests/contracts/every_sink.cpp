#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <stdexcept>
#include <thread>

#include "../helpers/sink_frames.h"
#include "taffeta/base/error.h"

// What every registered frame sink promises: the files that its extension names, the properties it
// declares, the same bytes from the same frames, and a run that survives SIGKILL at any moment.
namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

class EverySink : public testing::TestWithParam<const SinkEntry*> {
  protected:
    const SinkProperties& properties() const { return GetParam()->properties; }
    std::unique_ptr<FrameSink> sink() const { return GetParam()->make(Settings::object()); }

    void run(const FrameSeries& series, Index frames) const {
        const std::unique_ptr<FrameSink> writer = sink();
        writer->open(series, 0);
        write_sheet(*writer, series, 1, frames);
        writer->close();
    }

    ScratchFolder folder_;
};

TEST_P(EverySink, WritesTheFilesThatItsPropertiesName) {
    run(sheet_series(folder_.path()), 3);

    const auto files = contents(folder_.path());
    const std::string extension(properties().extension);
    if (properties().sequence) {
        for (const char* number : {"0001", "0002", "0003"})
            EXPECT_TRUE(files.count("cloth." + std::string(number) + extension)) << number;
        EXPECT_FALSE(files.count("cloth.0004" + extension));
    } else {
        EXPECT_TRUE(files.count("cloth" + extension));
        EXPECT_EQ(files.size(), 1u) << "parts are left over";
    }
}

TEST_P(EverySink, DependsOnVelocitiesAndTrianglesAsItDeclares) {
    FrameSeries series = sheet_series(folder_.path());
    const auto record = [&](double velocity) {
        const std::unique_ptr<FrameSink> writer = sink();
        writer->open(series, 0);
        writer->write(1, sheet_positions(series, 1),
                      velocity * VecX::Ones(3 * series.mesh.vertex_count()));
        writer->close();
        return contents(folder_.path());
    };
    const auto still = record(0), moving = record(1);
    std::swap(series.mesh.face.front(), series.mesh.face.back());
    const auto other_faces = record(0);

    EXPECT_EQ(still != moving, properties().velocities);
    EXPECT_EQ(still != other_faces, properties().triangles);
}

TEST_P(EverySink, WritesTheSameBytesAgain) {
    const FrameSeries series = sheet_series(folder_.path());

    run(series, 4);
    const auto first = contents(folder_.path());
    run(series, 4);

    EXPECT_TRUE(contents(folder_.path()) == first);
}

TEST_P(EverySink, TheNumberOfPlannedFramesLeavesNoTrace) {
    FrameSeries series = sheet_series(folder_.path());
    run(series, 4);
    const auto unplanned = contents(folder_.path());

    series.frames = 1000;
    run(series, 4);

    EXPECT_TRUE(contents(folder_.path()) == unplanned);
}

TEST_P(EverySink, ReportsAFolderThatCannotBeMade) {
    put(folder_ / "file", "in the way");

    EXPECT_THROW(sink()->open(sheet_series(folder_ / "file"), 0), Error);
}

/// A process of its own that writes frames and reports each, as a checkpoint would, through a pipe.
class Writer {
  public:
    Writer(FrameSink& sink, const FrameSeries& series, Index kept, Index frames) : last_(kept) {
        int channel[2];
        if (::pipe(channel) != 0) throw std::runtime_error("no pipe");
        process_ = ::fork();
        if (process_ == 0) ::_exit(write_frames(sink, series, kept, frames, channel[1]));
        ::close(channel[1]);
        reports_ = channel[0];
    }
    ~Writer() { ::close(reports_); }

    /// Waits for some reports, then a little longer, then kills. False: it had ended by itself.
    bool kill_after(int reports, std::chrono::microseconds patience) {
        while (reports > 0 && next_report())
            --reports;
        std::this_thread::sleep_for(patience);
        ::kill(process_, SIGKILL);
        int status = 0;
        ::waitpid(process_, &status, 0);
        while (next_report()) {
        }
        EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "it failed by itself";
        return WIFSIGNALED(status);
    }
    Index last() const { return last_; }

  private:
    static int write_frames(FrameSink& sink, const FrameSeries& series, Index kept, Index frames,
                            int channel) {
        try {
            sink.open(series, kept);
            for (Index frame = kept + 1; frame <= frames; ++frame) {
                write_sheet(sink, series, frame, frame);
                if (::write(channel, &frame, sizeof frame) != sizeof frame) return 2;
            }
            sink.close();
            return 0;
        } catch (const std::exception& error) {
            const std::string text = std::string(error.what()) + "\n";
            return ::write(STDERR_FILENO, text.data(), text.size()) > 0 ? 1 : 3;
        }
    }

    bool next_report() { return ::read(reports_, &last_, sizeof last_) == sizeof last_; }

    pid_t process_ = -1;
    int reports_ = -1;
    Index last_;
};

TEST_P(EverySink, SurvivesBeingKilledAgainAndAgain) {
    constexpr Index frames = 16, cells = 60;
    const FrameSeries series = sheet_series(folder_ / "run", cells);
    run(series, frames);
    const auto expected = contents(folder_ / "run");
    fs::remove_all(folder_ / "run");
    std::mt19937 random(unsigned(std::hash<std::string_view>()(GetParam()->key)));
    Index kept = 0;
    int kills = 0, kills_at_the_end = 0;

    for (bool killed = true; killed;) {
        // Within a frame on the way; then, with growing patience, while it opens and closes.
        const bool at_the_end = kept == frames;
        const unsigned longest = at_the_end ? 200u << kills_at_the_end : 300u;
        const std::unique_ptr<FrameSink> writer_sink = sink();
        Writer writer(*writer_sink, series, kept, frames);
        killed = writer.kill_after(at_the_end ? 0 : int(random() % 3),
                                   std::chrono::microseconds(random() % longest));
        kept = writer.last();
        kills += killed;
        kills_at_the_end += killed && at_the_end;
        ASSERT_LT(kills, 1000);
    }

    EXPECT_GE(kills, 1);
    const auto found = contents(folder_ / "run");
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [name, bytes] : expected)
        EXPECT_TRUE(found.count(name) && found.at(name) == bytes) << name;
}

INSTANTIATE_TEST_SUITE_P(Registered, EverySink,
                         testing::ValuesIn(frame_sinks().begin(), frame_sinks().end()),
                         [](const auto& entry) { return std::string(entry.param->key); });

}  // namespace
}  // namespace taffeta::io
