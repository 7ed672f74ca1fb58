internal import BenchmarkLogins
internal import Foundation

struct Options {
    var only: [String] = []
    var rounds = 3
    var seconds = 1.0
    var isQuick = false
    var json: String?
    var checksCounts = false
    var recordsCounts = false

    static let help = """
        Measures the SDK beside the same work in C, in the same run.

          Tests/Benchmarks/run [OPTIONS]

          --only ROW[,ROW]  these rows; --list prints their names. The rows with a million sessions are measured only
                            when they are named; they need 10 GB of disk and some minutes
          --rounds N        rounds, in which all peers take turns (default: 3)
          --seconds S       seconds for each peer and round (default: 1)
          --quick           one short round without the long rows: shows that everything works, not how fast it is
          --peers           also measures jwt-kit, swift-crypto, GRDB and AsyncHTTPClient (Tests/Benchmarks/Peers), which
                            SwiftPM fetches and builds first
          postgresql://…    also measures PostgresStore at this server, in a schema and a table that it creates.
                            Tests/Proofs/with-postgres Tests/Benchmarks/run starts a server and appends its URL
          --json FILE       also writes each measurement as a line of JSON
          --check           compares allocations with Tests/Benchmarks/counts.json; one that grew by more than a tenth
                            is an error (status 1)
          --record          writes Tests/Benchmarks/counts.json anew

        The programs in C handle the success case only. Compare ratios of one run, never numbers of two runs.
        IDENTITYKIT_BENCHMARK_FOLDER names the folder for files: do not use a file system in memory, on which durable saves cost nearly
        nothing.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw BenchmarkFailure("\(option) needs a value.") }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--only": only = try value(of: option).split(separator: ",").map(String.init)
            case "--rounds":
                guard let number = Int(try value(of: option)), number > 0 else {
                    throw BenchmarkFailure("--rounds needs a number above 0.")
                }
                rounds = number
            case "--seconds":
                guard let number = Double(try value(of: option)), number > 0 else {
                    throw BenchmarkFailure("--seconds needs a number above 0.")
                }
                seconds = number
            case "--quick":
                isQuick = true
                rounds = 1
                seconds = 0.1
            case "--json": json = try value(of: option)
            case "--check": checksCounts = true
            case "--record": recordsCounts = true
            default: throw BenchmarkFailure("\(option) is unknown.\n\n\(Self.help)")
            }
        }
        if let wrong = only.first(where: { name in !rows.contains { $0.name == name } }) {
            throw BenchmarkFailure("There is no row \(wrong). Run Tests/Benchmarks/run --list.")
        }
    }

    var rowsToMeasure: [Row] {
        rows.filter { only.isEmpty ? !(isQuick && $0.isLong) && !$0.isHuge : only.contains($0.name) }
    }
}
