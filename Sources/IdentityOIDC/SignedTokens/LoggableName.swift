internal import IdentityHTTP

/// A name in a token or a client key, as an error shows it: an algorithm or an audience.
///
/// A text that is longer than 128 bytes, or has characters that a name or URL does not need, is shown as "…", because an attacker may
/// have written a token.
enum LoggableName {
    static func shown(_ name: String) -> String {
        let isName =
            (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { ASCII.unreserved.contains($0) || ":/".utf8.contains($0) }
        return isName ? name : "…"
    }

    /// At most four names, separated by commas.
    static func shown(_ names: [String]) -> String {
        names.prefix(4).map { shown($0) }.joined(separator: ", ") + (names.count > 4 ? ", …" : "")
    }
}
