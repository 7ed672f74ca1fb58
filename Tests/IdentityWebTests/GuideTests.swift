import Foundation
import IdentityKit
import IdentityWeb
import ShopifyGraphQL
import TestGuides
import Testing

@Suite("The server guide")
struct ServerAppGuideTests {
    @Test("the table of errors matches the responses of the routes")
    func errors() throws {
        let page = try GuidePage("Documentation/Using/ServerApp.md").text
        let section = try #require(
            page.components(separatedBy: "## Errors\n").last?.components(separatedBy: "\n## ").first
        )
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows.count == 9)
        #expect(Set(rows.map { $0[1] }).count == 5)
        for row in rows {
            let kind = try #require(IdentityError.Kind(rawValue: row[1].replacing("`", with: "")))
            let named = row[2].replacing("`", with: "").components(separatedBy: ", ")
            let codes = row[2].hasPrefix("`") ? named : ["other"]
            for code in codes {
                let error = IdentityError(kind, IdentityError.Code(rawValue: code), "Internal.", hint: "Internal.")
                #expect(String(error.httpStatus) == row[3], "\(kind) \(code)")
                #expect((error.httpRetryAfter == .seconds(5)) == !row[4].isEmpty, "\(kind) \(code)")
                #expect(error.buyerSentence == row[5], "\(kind) \(code)")
            }
        }
        let pause = IdentityError(.retryLater, .throttled, "Internal.", hint: "Internal.", retryAfter: .seconds(17))
        #expect(pause.httpRetryAfter == .seconds(17))
    }
}
