public import IdentityKit

/// Which lines were added, and which were not, when an addition of more than 250 lines failed.
///
/// It is the cause of an error with code `IdentityError.Code.linesPartlyAdded`. More than 250 lines are added in several requests, and a
/// later request can fail after earlier requests succeeded:
///
/// ```swift
/// do {
///     _ = try await carts.add(lines, for: session.id, in: context)
/// } catch let error as IdentityError {
///     guard let partial = error.cause as? CartPartialAddition else { throw error }
///     addLater(partial.missing)
///     // Shopify may have omitted or reduced lines of partial.added. Read the cart before you add partial.unknown again.
/// }
/// ```
public struct CartPartialAddition: Error, Sendable {
    /// The lines of the requests that succeeded; Shopify may have omitted or reduced some of them.
    public let added: [CartLineInput]
    /// The lines of a request without a usable response: Shopify may have added them, so read the cart before you add them again.
    public let unknown: [CartLineInput]
    /// The lines that were not added, because their request failed or was not sent.
    public let missing: [CartLineInput]
    /// The error that stopped the addition.
    public let problem: IdentityError

    /// Creates a value, for an app's own tests.
    public init(added: [CartLineInput], unknown: [CartLineInput], missing: [CartLineInput], problem: IdentityError) {
        self.added = added
        self.unknown = unknown
        self.missing = missing
        self.problem = problem
    }
}

extension CartPartialAddition: Redacted {
    /// The numbers of lines and the code of ``problem``, without the contents of the lines.
    public var description: String {
        "\(added.count) lines added, \(unknown.count) unknown, \(missing.count) missing: \(problem.code)"
    }
}

extension IdentityError {
    /// The kind of this error is not `retryLater`, because a repetition of the whole call would add the lines of the first requests twice.
    static func partlyAdded(_ addition: CartPartialAddition) -> IdentityError {
        let problem = addition.problem
        let all = addition.added.count + addition.unknown.count + addition.missing.count
        return IdentityError(
            .rejected,
            .linesPartlyAdded,
            "Requests for \(addition.added.count) of \(all) lines succeeded, then the addition failed (\(problem.code)).",
            hint: addition.unknown.isEmpty
                ? "Do not repeat the call. Read `problem` in the error's cause, CartPartialAddition, then add only the lines in its "
                    + "`missing`."
                : "Do not repeat the call. Read the cart, and `problem` in the error's cause, CartPartialAddition. Then add only the "
                    + "lines in its `missing`, and those lines in its `unknown` that the cart does not contain.",
            retryAfter: problem.retryAfter,
            providerResponse: problem.providerResponse,
            cause: addition
        )
    }
}
