internal import Foundation

/// Finds the generated operations that no test has sent.
///
/// A new operation makes the test of its module fail until that test sends it.
public enum GeneratedOperations {
    /// The names of a module's operations that are not in these bodies of requests, sorted.
    ///
    /// `folder` is the folder in `Sources` that contains `Generated`, such as `ShopifyStorefront`.
    public static func missing(in folder: String, from bodies: [String]) throws -> [String] {
        let operations = Repository.root.appending(path: "Sources/\(folder)/Generated/Operations")
        let names = try FileManager.default.contentsOfDirectory(atPath: operations.path).compactMap { file in
            try String(contentsOf: operations.appending(path: file), encoding: .utf8)
                .firstMatch(of: /GraphQLDocument\(\s*name: "(\w+)"/).map { String($0.1) }
        }
        guard !names.isEmpty else { return ["no operation in \(folder)"] }
        let sent = Set(
            bodies.compactMap { $0.firstMatch(of: /"query":"(?:query|mutation) (\w+)/).map { String($0.1) } }
        )
        return names.filter { !sent.contains($0) }.sorted()
    }
}
