import IdentityKit
import ShopifyGraphQL
import TestGuides
import Testing

@Suite("Input fields")
struct InputFieldTests {
    @Test("unset leaves a field out, null sends it as null, and a value sends the value", .row("B9"))
    func threeStates() {
        var input = GraphQLInputObject()
        input.set("left", InputField<String>.unset)
        input.set("cleared", InputField<String>.null)
        input.set("changed", InputField.set("new"))
        #expect(String(decoding: input.graphQLValue.serialized, as: UTF8.self) == #"{"cleared":null,"changed":"new"}"#)
    }
}
