internal import CIdentityCurl
internal import CIdentityOpenSSL
internal import CIdentitySQLite
internal import Foundation

/// The recorded allocations per operation, which tell on any load whether the code got more expensive.
struct Counts: Codable {
    /// Counts of other compilers, libraries or processors cannot be compared.
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

    /// Compares with the recorded counts, and says what grew.
    ///
    /// - Returns: False when a count grew by more than a tenth.
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
                Report.write("\(name): nothing is recorded. Run Tests/Benchmarks/run --record.")
                isWithin = false
                continue
            }
            // One allocation more or less is the runtime's own affair.
            if count > before * 1.1 + 1 {
                Report.write("\(name): \(count) allocations per operation, \(before) were recorded.")
                isWithin = false
            }
        }
        if isWithin { Report.write("None grew by more than a tenth.") }
        return isWithin
    }
}
