import FoundationEssentials
import IdentityKit
import ShopifyGraphQL
import Testing

/// The parsing tests of nst/JSONTestSuite, from the checkout at the path in `IDENTITYKIT_JSON_TEST_SUITE`.
@Suite(
    "JSONTestSuite",
    .enabled(
        if: VectorFolder.jsonTestSuite != nil,
        "run them with Tests/Fixtures/public-vectors"
    )
)
struct JSONTestSuiteTests {
    /// The choices that RFC 8259 leaves to the implementation.
    ///
    /// Numbers are kept as text, so no number is too large. Invalid UTF-8, a byte order mark, an unpaired surrogate and
    /// deep nesting are refused.
    private static let isAcceptedByChoice: [String: Bool] = [
        "i_number_double_huge_neg_exp": true, "i_number_huge_exp": true, "i_number_neg_int_huge_exp": true,
        "i_number_pos_double_huge_exp": true, "i_number_real_neg_overflow": true, "i_number_real_pos_overflow": true,
        "i_number_real_underflow": true, "i_number_too_big_neg_int": true, "i_number_too_big_pos_int": true,
        "i_number_very_big_negative_int": true, "i_object_key_lone_2nd_surrogate": false,
        "i_string_1st_surrogate_but_2nd_missing": false, "i_string_1st_valid_surrogate_2nd_invalid": false,
        "i_string_UTF-16LE_with_BOM": false, "i_string_UTF-8_invalid_sequence": false,
        "i_string_UTF8_surrogate_U+D800": false, "i_string_incomplete_surrogate_and_escape_valid": false,
        "i_string_incomplete_surrogate_pair": false, "i_string_incomplete_surrogates_escape_valid": false,
        "i_string_invalid_lonely_surrogate": false, "i_string_invalid_surrogate": false,
        "i_string_invalid_utf-8": false, "i_string_inverted_surrogates_U+1D11E": false, "i_string_iso_latin_1": false,
        "i_string_lone_second_surrogate": false, "i_string_lone_utf8_continuation_byte": false,
        "i_string_not_in_unicode_range": false, "i_string_overlong_sequence_2_bytes": false,
        "i_string_overlong_sequence_6_bytes": false, "i_string_overlong_sequence_6_bytes_null": false,
        "i_string_truncated-utf-8": false, "i_string_utf16BE_no_BOM": false, "i_string_utf16LE_no_BOM": false,
        "i_structure_500_nested_arrays": false, "i_structure_UTF-8_BOM_empty_object": false,
    ]

    /// The only valid texts of the suite that are refused: I-JSON forbids duplicate names (RFC 7493 section 2.3).
    private static let duplicates: Set = ["y_object_duplicated_key", "y_object_duplicated_key_and_value"]

    @Test(
        "y_ texts are accepted except for duplicate names, n_ texts are refused, i_ texts follow the table of choices"
    )
    func parsing() throws {
        let folder = try #require(VectorFolder.jsonTestSuite) + "/test_parsing"
        var counts: [Character: Int] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            let name = String(file.dropLast(".json".utf8.count))
            let text = Array(try #require(FileManager.default.contents(atPath: folder + "/" + file)))
            let value = try? JSONValue(parsing: text)
            let kind = try #require(name.first)
            switch kind {
            case "y": #expect((value != nil) != Self.duplicates.contains(name), "\(name)")
            case "n": #expect(value == nil, "\(name)")
            default: #expect((value != nil) == Self.isAcceptedByChoice[name], "\(name)")
            }
            if let value { #expect(try JSONValue(parsing: value.serialized) == value, "\(name)") }
            #expect((try? GraphQLNode(parsing: text))?.json() == value, "\(name)")
            counts[kind, default: 0] += 1
        }
        #expect(counts == ["y": 95, "n": 188, "i": 35])
    }

    @Test("values that other parsers change silently are kept unchanged or refused")
    func transforms() throws {
        let folder = try #require(VectorFolder.jsonTestSuite) + "/test_transform"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        for file in files {
            let text = Array(try #require(FileManager.default.contents(atPath: folder + "/" + file)))
            let isRefused = file.hasPrefix("object_same_key") || file.contains("invalid_codepoint")
            guard let value = try? JSONValue(parsing: text) else {
                #expect(isRefused, "\(file)")
                continue
            }
            #expect(!isRefused, "\(file)")
            let compact = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            #expect(value.serialized == compact, "\(file)")
        }
        #expect(files.count == 22)
    }
}
