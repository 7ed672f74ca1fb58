internal import GraphQLLanguage

package struct SourceFile: Sendable {
    /// The path of the file, relative to the folder of documents.
    package let name: String
    package let text: String

    static let maximumBytes = 1 << 20
    static let maximumCount = 2_000

    func parsed() throws(Diagnostic) -> GraphDocument {
        func failure(_ message: String, _ location: GraphLocation? = nil) -> Diagnostic {
            Diagnostic(severity: .error, file: name, location: location, message: message)
        }
        guard text.utf8.count <= Self.maximumBytes else { throw failure("The file is larger than 1 MiB.") }
        do { return try GraphParser.document(text) } catch {
            let isSubscription = error.message.hasPrefix("Parse error on \"subscription\", expected a query")
            let hint = isSubscription ? " Shopify's APIs have no subscriptions." : ""
            throw failure("\(error.message).\(hint)", error.location)
        }
    }
}
