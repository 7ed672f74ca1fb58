internal import CIdentityCurl
internal import CIdentityOpenSSL
internal import CIdentitySQLite
internal import Foundation

/// The recorded allocations per operation, which do not depend on the load of the machine.
struct Counts: Codable {
    /// The compiler, libraries and processor; counts are compared only if these are the same.
    var environment: [String: String]
    var allocations: [String: Double]

    static func here(_ allocations: [String: Double]) -> Counts {
        let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = processor.split(separator: "\n").first { $0.hasPrefix("model name") }
        return Counts(
            environment: [
                "compiler": ProcessInfo.processInfo.environment["IDENTITYKIT_COMPILER"] ?? "unknown",
                "openssl": unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)),
                "sqlite": unsafe String(cString: sqlite3_libversion()),
                "curl": unsafe String(cString: curl_version()),
                "processor": model.map { String($0.split(separator: ":").last ?? "").trimmingPrefix(" ") }
                    .map(String.init) ?? "unknown",
            ],
            allocations: allocations
        )
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var text = try encoder.encode(self)
        text.append(UInt8(ascii: "\n"))
        try text.write(to: URL(fileURLWithPath: path))
    }

    /// Compares the counts with the recorded ones, prints those that grew, and returns false if a count grew by more than a tenth.
    func isWithin(_ path: String) throws -> Bool {
        let recorded = try JSONDecoder().decode(Counts.self, from: try Data(contentsOf: URL(fileURLWithPath: path)))
        if let key = environment.keys.sorted().first(where: { environment[$0] != recorded.environment[$0] }) {
            Report.write(
                """
                SKIPPED: the comparison of allocations. They were recorded with another \(key): \
                \(recorded.environment[key] ?? "none") (here: \(environment[key] ?? "none")).
                """
            )
            return true
        }
        var isWithin = true
        for (name, count) in allocations.sorted(by: { $0.key < $1.key }) {
            guard let before = recorded.allocations[name] else {
                Report.write("\(name): no count is recorded. Run Tests/Benchmarks/run --record.")
                isWithin = false
                continue
            }
            // The runtime itself may make one allocation more or less.
            if count > before * 1.1 + 1 {
                Report.write("\(name): \(count) allocations per operation, \(before) were recorded.")
                isWithin = false
            }
        }
        if isWithin { Report.write("No count grew by more than a tenth.") }
        return isWithin
    }
}
