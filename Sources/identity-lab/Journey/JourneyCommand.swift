internal import FoundationEssentials
internal import IdentityKit

/// The whole journey, for people to read: what the program does without a command.
struct JourneyCommand: Command {
    static let name = "journey"
    static let usage = "[--callback loopback|stdin|sandbox] [options]"
    static let summary = "Walk every approach from login to logout and put them side by side."
    static let options: [Option] = [.callback]
    static let examples = ["identity-lab", "identity-lab --config identity.json"]

    private let callback: CallbackMode?

    init(_ arguments: Arguments) throws {
        callback = try arguments.choice(.callback, of: Self.self)
    }

    func run(_ lab: Lab) async throws {
        let started = ContinuousClock.now
        let stage = try await Stage.open(lab, callback: callback, tokenLifetime: .seconds(2))
        let story = Storyteller(output: lab.output)
        var chapters: [Chapter] = []
        do {
            for provider in stage.configuration.providers.map(\.name) {
                chapters.append(try Chapter(provider, on: stage, told: story))
            }
            try await play(chapters, on: stage, told: story)
            await close(chapters, stage)
        } catch {
            await close(chapters, stage)
            throw error
        }
        await finish(chapters, story, .now - started)
        if let problem = story.firstProblem { throw problem }
    }

    private func play(_ chapters: [Chapter], on stage: Stage, told story: Storyteller) async throws {
        var last: Date?
        for chapter in chapters {
            if let date = try await chapter.begin() { last = max(last ?? date, date) }
        }
        // The embedded sandbox's tokens are short-lived, so that they can be waited for; real ones are renewed before their
        // time.
        let isEmbedded = stage.sandbox != nil
        if isEmbedded, let last {
            story.interlude("Time passes: the access tokens expire.")
            try await Task.sleep(for: .seconds(max(0, last.timeIntervalSinceNow) + 0.02))
        }
        for chapter in chapters { try await chapter.end(areTokensExpired: isEmbedded) }
    }

    private func close(_ chapters: [Chapter], _ stage: Stage) async {
        for chapter in chapters { await chapter.abandon() }
        await stage.close()
    }

    private func finish(_ chapters: [Chapter], _ story: Storyteller, _ time: Duration) async {
        var reports: [ApproachReport] = []
        for chapter in chapters { reports += await chapter.report() }
        for report in reports { story.approach(report) }
        story.interlude("Side by side")
        story.table(reports)
        let (held, failed) = story.count
        let isGood = failed == 0
        story.close(
            isGood
                ? "All \(held) steps held, in \(time.readable)." : "\(failed) of \(held + failed) steps did not hold."
        )
    }
}
