#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "../helpers/sink_frames.h"
#include "taffeta/base/error.h"

// A run that was cut off anywhere and resumed leaves the bytes of an unbroken one. The real thing,
// with processes that are killed, is in tests/contracts/every_sink.cpp; here the remains are made
// by hand, so that every kind of remains occurs.
namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

using Bytes = std::map<std::string, std::string>;

constexpr Index frames = 6;

class SinkResume : public testing::TestWithParam<const SinkEntry*> {
  protected:
    SinkResume() : series_(sheet_series(folder_.path())) {}

    std::unique_ptr<FrameSink> sink() const { return GetParam()->make(Settings::object()); }

    /// What an unbroken run of `count` frames leaves.
    Bytes unbroken(Index count) {
        run_from(0, count);
        const Bytes found = contents(folder_.path());
        clear();
        return found;
    }

    void run_from(Index kept, Index count) {
        const std::unique_ptr<FrameSink> writer = sink();
        writer->open(series_, kept);
        write_sheet(*writer, series_, kept + 1, count);
        writer->close();
    }

    /// What stands on disk when the process dies after `count` frames.
    Bytes cut_off_after(Index count) {
        {
            const std::unique_ptr<FrameSink> writer = sink();
            writer->open(series_, 0);
            write_sheet(*writer, series_, 1, count);
        }
        const Bytes found = contents(folder_.path());
        clear();
        return found;
    }

    void clear() {
        fs::remove_all(folder_.path());
        fs::create_directories(folder_.path());
    }

    void restore(const Bytes& files) {
        clear();
        for (const auto& [name, bytes] : files) {
            fs::create_directories((folder_ / name).parent_path());
            put(folder_ / name, bytes);
        }
    }

    void expect_same(const Bytes& expected, const std::string& story) {
        const Bytes found = contents(folder_.path());
        for (const auto& [name, bytes] : expected) {
            ASSERT_TRUE(found.count(name)) << story << ": " << name << " is missing";
            EXPECT_TRUE(found.at(name) == bytes) << story << ": " << name << " differs";
        }
        for (const auto& [name, bytes] : found)
            EXPECT_TRUE(expected.count(name)) << story << ": " << name << " is left over";
    }

    ScratchFolder folder_;
    FrameSeries series_;
};

TEST_P(SinkResume, ContinuesAfterAnyFrame) {
    const Bytes expected = unbroken(frames), remains = cut_off_after(frames);

    for (Index kept = 0; kept <= frames; ++kept) {
        restore(remains);
        run_from(kept, frames);
        expect_same(expected, "kept " + std::to_string(kept));
    }
}

TEST_P(SinkResume, DropsHalfWrittenAndStrayBytesBehindTheKeptFrames) {
    const Bytes expected = unbroken(frames);
    const Index kept = 3, killed_in = 5;
    const Bytes before = cut_off_after(kept), after = cut_off_after(killed_in);
    std::mt19937 random(12);

    for (int round = 0; round < 8; ++round) {
        Bytes remains = after;
        for (auto& [name, bytes] : remains) {
            // Growing files are cut between the two states; PVD files are renamed whole.
            if (!before.count(name) || before.at(name).size() >= bytes.size()) continue;
            if (name.ends_with(".pvd")) continue;
            const std::size_t low = before.at(name).size(), high = bytes.size();
            bytes.resize(low + random() % (high - low + 1));
            if (round % 2 == 1) bytes.append(random() % 99, char(random()));
        }
        const std::string extension(GetParam()->properties.extension);
        if (GetParam()->properties.sequence) {
            remains["cloth.0005" + extension + ".4711-3.tmp"] = "half a frame";
            if (round % 3 == 1) remains.erase("cloth.0004" + extension);
        } else if (extension != ".pc2") {  // which is written in place
            remains["cloth" + extension + ".4711-4.tmp"] = "half a file";
        }
        restore(remains);

        run_from(kept, frames);

        expect_same(expected, "round " + std::to_string(round));
    }
}

TEST_P(SinkResume, ContinuesAFinishedRun) {
    const Bytes expected = unbroken(frames + 3);

    for (const Index kept : {frames, Index(2)}) {
        clear();
        run_from(0, frames);
        run_from(kept, frames + 3);
        expect_same(expected, "kept " + std::to_string(kept));
    }
}

TEST_P(SinkResume, ContinuesAfterDyingWhileItTookUpAFinishedRun) {
    const Bytes expected = unbroken(frames);
    run_from(0, frames);

    for (int round = 0; round < 3; ++round) {
        const std::unique_ptr<FrameSink> writer = sink();
        writer->open(series_, frames - 2);
    }
    run_from(frames - 2, frames);

    expect_same(expected, "opened and died, three times");
}

TEST_P(SinkResume, StartsAfreshOverOldFrames) {
    const Bytes expected = unbroken(3);
    run_from(0, frames);

    run_from(0, 3);

    expect_same(expected, "three frames over six");
}

TEST_P(SinkResume, WithoutVelocitiesToo) {
    const VecX none;
    const auto run = [&](Index kept, Index count, bool close) {
        const std::unique_ptr<FrameSink> writer = sink();
        writer->open(series_, kept);
        for (Index frame = kept + 1; frame <= count; ++frame)
            writer->write(frame, sheet_positions(series_, frame), none);
        if (close) writer->close();
    };
    run(0, frames, true);
    const Bytes expected = contents(folder_.path());
    clear();

    run(0, 5, false);
    run(3, frames, true);

    expect_same(expected, "no velocities");
}

TEST_P(SinkResume, RefusesToContinueAfterFramesThatAreNotThere) {
    restore(cut_off_after(3));

    try {
        sink()->open(series_, 5);
        FAIL() << "opened after 5 of 3 frames";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io);
        EXPECT_NE(error.where().find("cloth"), std::string::npos) << error.where();
    }
}

INSTANTIATE_TEST_SUITE_P(EverySink, SinkResume,
                         testing::ValuesIn(frame_sinks().begin(), frame_sinks().end()),
                         [](const auto& entry) { return std::string(entry.param->key); });

TEST(SinkResumeFiles, LeavesOtherSeriesAlone) {
    const ScratchFolder folder;
    FrameSeries cloth = sheet_series(folder.path()), coat = cloth, longer = cloth;
    coat.name = "coat";
    longer.name = "cloth.2";
    for (const FrameSeries* series : {&coat, &longer}) {
        const std::unique_ptr<FrameSink> sink = make_sink("ply");
        sink->open(*series, 0);
        write_sheet(*sink, *series, 1, 2);
    }
    put(folder / "cloth.0003.obj", "another format");
    const auto before = contents(folder.path());

    make_sink("ply")->open(cloth, 0);

    EXPECT_EQ(contents(folder.path()), before);
}

TEST(SinkResumeFiles, RefusesACacheOfAnotherMesh) {
    const ScratchFolder folder;
    const FrameSeries small = sheet_series(folder.path(), 2),
                      large = sheet_series(folder.path(), 3);
    const std::unique_ptr<FrameSink> sink = make_sink("pc2");
    sink->open(large, 0);
    write_sheet(*sink, large, 1, 4);
    sink->close();

    EXPECT_THROW(make_sink("pc2")->open(small, 2), Error);
}

TEST(SinkResumeFiles, RefusesToWriteIntoAPipe) {
    const ScratchFolder folder;
    ASSERT_EQ(::mkfifo((folder / "cloth.pc2").c_str(), 0600), 0);

    EXPECT_THROW(make_sink("pc2")->open(sheet_series(folder.path()), 0), Error);
}

TEST(SinkFrames, RefusesBadFramesAndNames) {
    const ScratchFolder folder;
    const FrameSeries series = sheet_series(folder.path());
    FrameSeries outside = series;
    outside.name = "../cloth";
    const std::unique_ptr<FrameSink> sink = make_sink("obj");
    sink->open(series, 0);
    VecX broken = sheet_positions(series, 1);
    broken[7] = std::nan("");

    EXPECT_THROW(sink->write(2, sheet_positions(series, 2), VecX()), Error);
    EXPECT_THROW(sink->write(1, VecX::Zero(3), VecX()), Error);
    EXPECT_THROW(sink->write(1, broken, VecX()), Error);
    EXPECT_THROW(make_sink("obj")->open(outside, 0), Error);
    EXPECT_EQ(contents(folder.path()).size(), 0u);
}

}  // namespace
}  // namespace taffeta::io
