internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import ShopifyStorefront
internal import StorefrontSandbox

struct CompareCommand: Command {
    static let name = "compare"
    static let summary =
        "Sign in at every provider, with await, a completion handler and a delegate, and print a table. Uses the embedded "
        + "sandbox, or the services of --config or $IDENTITY_CONFIG."
    static let options: [Option] = [providers, .runCallback, html]
    static let examples = [
        "identity-lab compare",
        "identity-lab compare --html report.html",
        "identity-lab compare --config identity.json --provider shopify --provider bolt",
    ]
    private static let providers = Option(
        "\(Option.provider.name) NAME",
        repeats: true,
        "Compare only this provider; may be given several times. By default all are compared."
    )
    private static let html = Option(
        "--html FILE",
        "Write a self-contained page with sequence diagrams, times, requests and responses; secrets are masked."
    )

    private let names: [String]
    private let callback: CallbackMode?
    private let file: String?

    init(_ arguments: Arguments) throws {
        names = arguments.values(of: Self.providers)
        callback = try arguments.choice(.callback)
        file = arguments[Self.html]
    }

    func run(_ lab: Lab) async throws {
        if let file {
            let folder = URL(filePath: file).deletingLastPathComponent().path
            guard FileManager.default.isWritableFile(atPath: folder) else { throw Self.unwritable(file) }
        }
        let services = try await RunEnvironment.open(
            lab,
            usesServices: lab.configurationPath != nil,
            callback: callback,
            tokenLifetime: .seconds(600)
        )
        do {
            try await run(lab, on: services)
            await services.close()
        } catch {
            await services.close()
            throw error
        }
    }

    private func run(_ lab: Lab, on services: RunEnvironment) async throws {
        let configured = services.configuration.providers.map(\.name)
        for name in names { _ = try Deployment.providerName(name, among: configured) }
        let reporter = StepReporter(output: lab.output)
        var reports: [ApproachReport] = []
        var firstProblem: IdentityError?
        for provider in configured where names.isEmpty || names.contains(provider) {
            for entryPoint in LoginEntryPoint.allCases {
                let (report, problem) = try await run(provider, entryPoint, services, reporter)
                reports.append(report)
                firstProblem = firstProblem ?? problem
                reporter.approach(report)
            }
        }
        reporter.table(reports)
        if let file { try write(HTMLReport(reports: reports, date: Date()).html, to: file, lab) }
        if let firstProblem { throw firstProblem }
    }

    private func run(
        _ provider: String,
        _ entryPoint: LoginEntryPoint,
        _ services: RunEnvironment,
        _ reporter: StepReporter
    ) async throws -> (ApproachReport, IdentityError?) {
        let run = try ApproachRun(provider, entryPoint, on: services)
        do {
            _ = try await run.signIn(announce: reporter.askToSignIn)
            if services.configuration.storefront != nil, let problem = try await run.fillCart().problem {
                throw problem
            }
            _ = try await run.refresh(isExpired: false)
            _ = try await run.signOut()
            return (await run.report(), nil)
        } catch {
            let error = IdentityError.wrapping(error)
            await run.cleanUp()
            guard error.kind != .cancelled, !Task.isCancelled else { throw error }
            await run.fail(error)
            return (await run.report(), error)
        }
    }

    private func write(_ page: String, to file: String, _ lab: Lab) throws {
        do {
            try Data(page.utf8).write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw Self.unwritable(file)
        }
        lab.output.event("report", ["file": .string(file)], text: "\nThe report was written to \(file.printable).")
    }

    private static func unwritable(_ file: String) -> IdentityError {
        IdentityError(
            .configuration,
            IdentityError.Code(rawValue: "file_unwritable"),
            "The file \(file.printable) for the report cannot be written.",
            hint: "Check the path, the permissions of its folder and the free space of its disk."
        )
    }
}
