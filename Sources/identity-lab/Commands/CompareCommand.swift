internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

/// Puts every provider, kind of client and entry point side by side.
struct CompareCommand: Command {
    static let name = "compare"
    static let usage = "compare [--provider NAME ...] [--callback loopback|stdin|sandbox] [--html FILE]"
    static let summary =
        "Walk every provider and entry point, and print one table; --html writes a page with every step."
    static let options: [Option] = [providers, .callback, html]
    static let examples = [
        "identity-lab compare",
        "identity-lab compare --html report.html",
        "identity-lab compare --config identity.json --provider shopify --provider bolt",
    ]
    private static let providers = Option(
        name: Option.provider.name,
        form: .values("NAME"),
        help: "Compare these only; may be given again. All of them unless given."
    )
    private static let html = Option(
        name: "--html",
        form: .value("FILE"),
        help: "Write a self-contained page: sequence diagrams, times, what was sent and came back with secrets masked."
    )

    private let names: [String]
    private let callback: CallbackMode?
    private let file: String?

    init(_ arguments: Arguments) throws {
        names = arguments.values(of: Self.providers)
        callback = try arguments.choice(.callback, of: Self.self)
        file = arguments[Self.html]
    }

    func run(_ lab: Lab) async throws {
        let stage = try await Stage.open(lab, callback: callback, tokenLifetime: .seconds(600))
        do {
            try await run(lab, on: stage)
            await stage.close()
        } catch {
            await stage.close()
            throw error
        }
    }

    private func run(_ lab: Lab, on stage: Stage) async throws {
        let configured = stage.configuration.providers.map(\.name)
        for name in names where !configured.contains(name) {
            throw IdentityError(
                .configuration,
                .providerUnknown,
                "No provider has the name that was asked for.",
                hint: "Configured are: \(configured.joined(separator: ", "))."
            )
        }
        let story = Storyteller(output: lab.output)
        var reports: [ApproachReport] = []
        var firstProblem: IdentityError?
        for provider in configured where names.isEmpty || names.contains(provider) {
            for entryPoint in EntryPoint.allCases {
                let (report, problem) = try await walk(provider, entryPoint, stage, story)
                reports.append(report)
                firstProblem = firstProblem ?? problem
                story.approach(report)
            }
        }
        story.table(reports)
        if let file { try write(HTMLReport(reports: reports, date: Date()).html, to: file, lab) }
        if let firstProblem { throw firstProblem }
    }

    private func walk(
        _ provider: String,
        _ entryPoint: EntryPoint,
        _ stage: Stage,
        _ story: Storyteller
    ) async throws -> (ApproachReport, IdentityError?) {
        let walk = try Walk(provider, entryPoint, on: stage)
        do {
            _ = try await walk.signIn { url, mode in
                if mode != .sandbox { story.invite(url, mode) }
            }
            if stage.configuration.storefront != nil { _ = try await walk.fillCart() }
            _ = try await walk.renew(isExpired: false)
            _ = try await walk.signOut()
            return (await walk.report(problem: nil), nil)
        } catch {
            let error = Storyteller.wrapped(error)
            await walk.abandon()
            guard error.kind != .cancelled, !Task.isCancelled else { throw error }
            return (await walk.report(problem: error.message), error)
        }
    }

    private func write(_ page: String, to file: String, _ lab: Lab) throws {
        do {
            try Data(page.utf8).write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw IdentityError(
                .configuration,
                IdentityError.Code(rawValue: "file_unwritable"),
                "The page cannot be written to \(file.printable).",
                hint: "Check the path and its rights."
            )
        }
        lab.output.event("report", ["file": .string(file)], text: "\nThe page is in \(file.printable).")
    }
}
