internal import IdentityKit

package enum IntrospectionQuery {
    package static let text = """
        query IntrospectionQuery {
          __schema {
            queryType { name }
            mutationType { name }
            types { ...FullType }
            directives { name locations args(includeDeprecated: true) { ...InputValue } }
          }
        }
        fragment FullType on __Type {
          kind
          name
          description
          fields(includeDeprecated: true) {
            name
            description
            args(includeDeprecated: true) { ...InputValue }
            type { ...TypeReference }
            isDeprecated
            deprecationReason
          }
          inputFields(includeDeprecated: true) { ...InputValue }
          interfaces { name }
          enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
          possibleTypes { name }
        }
        fragment InputValue on __InputValue {
          name
          description
          type { ...TypeReference }
          defaultValue
          isDeprecated
          deprecationReason
        }
        fragment TypeReference on __Type {
          kind
          name
          ofType {
            kind
            name
            ofType {
              kind
              name
              ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }
            }
          }
        }
        """

    package static var requestBody: String {
        let body: JSONObject = ["query": .string(text)]
        return String(decoding: JSONValue.object(body).serialized, as: UTF8.self)
    }
}
