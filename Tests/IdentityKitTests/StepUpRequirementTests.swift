import IdentityKit
import Testing

@Suite("Challenges of resource servers (RFC 9470)")
struct StepUpRequirementTests {
    private static let error = #"error="insufficient_user_authentication""#

    @Test(
        "a resource server's well-formed step-up challenge gives the requirement",
        arguments: [
            ([#"Bearer \#(error), acr_values="gold silver", max_age=300"#], ["gold", "silver"], 300, false),
            ([#"bearer realm="a, b", \#(error), max_age="0""#], [], 0, false),
            ([#"DPoP algs="ES256", \#(error), ACR_VALUES="urn:a:b""#], ["urn:a:b"], nil, false),
            (["Basic realm=\"x\"", "Negotiate, Bearer \(error)"], [], nil, true),
            ([#"Bearer realm="x", DPoP \#(error), max_age=999999999"#], [], 999_999_999, false),
        ] as [([String], [String], Int?, Bool)]
    )
    func read(headers: [String], contexts: [String], age: Int?, demandsLogin: Bool) throws {
        let requirement = try #require(StepUpRequirement(challenges: headers))
        #expect(requirement.authenticationContexts == contexts)
        #expect(requirement.maximumAge == age.map { .seconds($0) })
        #expect(requirement.demandsLogin == demandsLogin)
    }

    @Test(
        "a challenge with another error or scheme, or one that is not well-formed, gives no step-up requirement",
        arguments: [
            [], [""], ["Bearer"], [#"Bearer error="invalid_token", max_age=1"#], [#"Basic \#(error), max_age=1"#],
            [#"Bearer error="Insufficient_user_authentication""#], [#"Bearer \#(error), max_age=-1"#],
            [#"Bearer \#(error), max_age="""#], [#"Bearer \#(error), max_age=1000000000"#],
            [#"Bearer \#(error), max_age="+5""#], [#"Bearer \#(error), max_age="٥""#],
            [#"Bearer \#(error), max_age=5, max_age=6"#], [#"Bearer \#(error), acr_values="""#],
            [#"Bearer \#(error), acr_values="a  b""#], [#"Bearer \#(error), acr_values=" a""#],
            [#"Bearer \#(error), acr_values="a\"b""#], [#"Bearer \#(error), acr_values="gold"#],
            [#"Bearer \#(error), acr_values="ä""#], [#"Bearer \#(error), max_age=5 @"#],
            ["Bearer \(error), acr_values=\"\((1...17).map { "a\($0)" }.joined(separator: " "))\""],
            ["Bearer \(error), realm=\"\(String(repeating: "x", count: 8192))\""],
            [String](repeating: "Bearer \(error)", count: 9),
        ] as [[String]]
    )
    func refused(headers: [String]) {
        #expect(StepUpRequirement(challenges: headers) == nil)
    }
}
