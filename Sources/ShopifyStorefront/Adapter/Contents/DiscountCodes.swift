extension [String] {
    /// Whether the list has this discount or gift card code.
    ///
    /// Shopify compares codes without regard to case.
    func hasCode(_ code: String) -> Bool {
        let folded = code.lowercased()
        return contains { $0.lowercased().utf8.elementsEqual(folded.utf8) }
    }

    /// These codes, then the codes that only the other list has, each once.
    func mergingCodes(_ others: [String]) -> [String] {
        others.reduce(into: self) { codes, code in
            if !codes.hasCode(code) { codes.append(code) }
        }
    }
}
