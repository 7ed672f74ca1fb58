internal import FoundationEssentials
internal import IdentityKit
internal import StorefrontSandbox

struct JourneyCommand: Command {
    static let name = ""
    static let summary = "Run all steps from login to logout at every provider, for each entry point of the SDK."
    static let options: [Option] = [.runCallback]
    static let examples = ["identity-lab", "identity-lab --config identity.json"]

    private let callback: CallbackMode?

    init(_ arguments: Arguments) throws {
        callback = try arguments.choice(.callback)
    }

    func run(_ lab: Lab) async throws {
        let started = ContinuousClock.now
        let services = try await RunEnvironment.open(
            lab,
            // People run this command to try the SDK, so only --config, and not IDENTITY_CONFIG, may make it use real services.
            usesServices: lab.arguments.contains(.config),
            callback: callback,
            tokenLifetime: .seconds(2)
        )
        let reporter = StepReporter(output: lab.output)
        var runs: [ProviderRun] = []
        do {
            for provider in services.configuration.providers.map(\.name) {
                runs.append(try ProviderRun(provider, on: services, reporter: reporter))
            }
            try await perform(runs, on: services, reporter: reporter)
            await close(runs, services)
        } catch {
            await close(runs, services)
            throw error
        }
        await finish(runs, reporter, .now - started)
        if let problem = reporter.firstProblem { throw problem }
    }

    private func perform(_ runs: [ProviderRun], on services: RunEnvironment, reporter: StepReporter) async throws {
        var last: Date?
        for run in runs {
            if let date = try await run.begin() { last = max(last ?? date, date) }
        }
        // The embedded sandbox's tokens expire after seconds, and the command waits until they have expired. Real tokens live too long
        // for such a wait, so the command refreshes them before they expire.
        let isEmbedded = services.sandbox != nil
        if isEmbedded, let last {
            reporter.section("Waiting until the access tokens expire.")
            try await Task.sleep(for: .seconds(max(0, last.timeIntervalSinceNow) + 0.02))
        }
        for run in runs { try await run.end(areTokensExpired: isEmbedded) }
    }

    private func close(_ runs: [ProviderRun], _ services: RunEnvironment) async {
        for run in runs { await run.cleanUp() }
        await services.close()
    }

    private func finish(_ runs: [ProviderRun], _ reporter: StepReporter, _ time: Duration) async {
        var reports: [ApproachReport] = []
        for run in runs { reports += await run.report() }
        for report in reports { reporter.approach(report) }
        reporter.section("Comparison")
        reporter.table(reports)
        reporter.close(after: time)
    }
}
