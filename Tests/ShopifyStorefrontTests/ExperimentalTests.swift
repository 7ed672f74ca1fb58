import IdentityHTTP
import IdentityKit
import ShopifyGraphQL
import ShopifyStorefront
import Testing

@Suite struct ExperimentalTests {
    private func answer(_ text: String) throws -> GraphQLNode { try GraphQLNode(parsing: Array(text.utf8)) }

    @Test("the caller's attempt token goes out as it is, and a submission may be repeated with it")
    func attemptToken() throws {
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c?key=k"))
        let operation = ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "attempt-1")
        #expect(operation.variables.json["attemptToken"] == .string("attempt-1"))
        #expect(ExperimentalCartSubmitForCompletion.document.repetition == .always)
        #expect(!"\(operation)".contains("attempt-1") && !"\(operation)".contains("key=k"))
    }

    @Test("each outcome of a completion is a case, also one that came later")
    func outcomes() throws {
        let ready = try ExperimentalCartPrepareForCompletion.output(
            answer(
                #"{"cartPrepareForCompletion":{"result":{"__typename":"CartThrottled","cart":null,"pollAfter":"2026-11-22T00:00:00Z"},"userErrors":[]}}"#
            )
        )
        guard case .cartThrottled(let throttled) = ready.result else {
            Issue.record("\(ready)")
            return
        }
        #expect(throttled.pollAfter.text == "2026-11-22T00:00:00Z")
        let attempt = try ExperimentalCartCompletionAttempt.output(
            answer(#"{"cartCompletionAttempt":{"__typename":"CartCompletionProcessing","id":"a","pollDelay":500}}"#)
        )
        guard case .cartCompletionProcessing(let processing) = attempt else {
            Issue.record("\(String(describing: attempt))")
            return
        }
        #expect(processing.pollDelay == 500)
        let later = try ExperimentalCartCompletionAttempt.output(
            answer(#"{"cartCompletionAttempt":{"__typename":"CartCompletionPostponed"}}"#)
        )
        guard case .other("CartCompletionPostponed") = later else {
            Issue.record("\(String(describing: later))")
            return
        }
    }
}
