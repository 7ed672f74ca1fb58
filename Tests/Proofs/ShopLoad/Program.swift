internal import Foundation

/// The command `shop-load`: the driver with its buyers, and the nodes that it starts.
@main
enum Program {
    static func main() async {
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    nonisolated private static func run(_ arguments: [String]) async -> Int32 {
        do {
            if arguments.first == "node", arguments.count == 2, let port = UInt16(arguments[1]) {
                try await Node.run(port: port)
                return 0
            }
            guard let plan = Plan(arguments) else {
                print("Use: shop-load [BUYERS] [SECONDS] POSTGRES_URL")
                return 2
            }
            return try await LoadRun(plan).run() ? 0 : 1
        } catch {
            print("\(error)")
            return 70
        }
    }
}

struct Plan: Sendable {
    var buyers = 200
    var seconds = 180
    let database: String

    /// The seconds until the ended node is started again.
    var pause: Int { min(10, seconds / 4) }

    init?(_ arguments: [String]) {
        var arguments = arguments
        guard let last = arguments.popLast(), last.hasPrefix("postgres") else { return nil }
        database = last
        let numbers = arguments.compactMap { Int($0) }
        guard numbers.count == arguments.count, numbers.allSatisfy({ $0 > 0 }), numbers.count <= 2 else { return nil }
        if let first = numbers.first { buyers = first }
        if numbers.count == 2 { seconds = numbers[1] }
    }
}
