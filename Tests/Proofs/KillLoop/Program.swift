internal import Foundation
internal import IdentityKit

/// The command `identity-kill-loop`: the driver and the worker processes that it starts and kills.
@main
enum Program {
    static func main() async {
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    nonisolated private static func run(_ arguments: [String]) async -> Int32 {
        do {
            switch arguments.first {
            case "work": try await worker().work()
            case "storm" where arguments.count == 3:
                try await worker().storm(try session(arguments[1]), callers: Int(arguments[2]) ?? 1)
            case "once" where arguments.count == 2: try await worker().once(try session(arguments[1]), dyingAt: nil)
            case "once" where arguments.count == 3:
                guard let point = Failpoint(rawValue: arguments[2]) else { return usage() }
                try await worker().once(try session(arguments[1]), dyingAt: point)
            default:
                guard let plan = RunPlan(arguments) else { return usage() }
                return try await KillRun(plan).run() ? 0 : 1
            }
            return 0
        } catch {
            // The error is not written to standard output, because the driver reads the reports there.
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return 70
        }
    }

    nonisolated private static func worker() throws -> Worker {
        let text = ProcessInfo.processInfo.environment[WorkOrder.variable] ?? ""
        return Worker(order: try JSONDecoder().decode(WorkOrder.self, from: Data(text.utf8)))
    }

    nonisolated private static func session(_ text: String) throws -> SessionID {
        guard let id = SessionID(rawValue: text) else {
            throw IdentityError(.configuration, .configurationInvalid, "The argument is not a session id.")
        }
        return id
    }

    nonisolated private static func usage() -> Int32 {
        print(
            "identity-kill-loop [ROUNDS] [PROCESSES] [GRACE_SECONDS|repeats] [--postgres URL] [--hits N] [--mutant NAME] [--storm]"
        )
        return 2
    }
}
