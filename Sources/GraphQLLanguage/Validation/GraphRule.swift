/// A rule that a document breaks (GraphQL specification of October 2021, section 5), with the values for a message about it.
package enum GraphRule: Sendable {
    // Names
    case unnamedOperation
    case repeatedOperation(String, in: String)
    case repeatedFragment(String, in: String)

    // Fragments
    case undefinedFragmentType(String)
    case fragmentOnLeaf(String)
    case fragmentCycle([String])
    case undefinedFragment(String)
    case unusedFragment(String)
    /// The name is nil for an inline fragment.
    case impossibleFragment(name: String?, condition: String, type: String)

    // Selections
    case undefinedRoot(GraphOperation.Kind)
    case reservedAlias(String)
    case typenameWithContent
    case undefinedField(String, type: String)
    case missingSelection(field: String, type: String, result: GraphTypeReference)
    case unexpectedSelection(field: String, type: String, result: GraphTypeReference)
    case conflictingFields(key: String, String, String)
    case conflictingArguments(key: String)
    case conflictingTypes(key: String, GraphTypeReference, GraphTypeReference)
    case tooComplex

    // Directives
    case undefinedDirective(String)
    case misplacedDirective(String, allowed: [String])
    case unsupportedDirective(String)
    case repeatedDirective(String)

    // Arguments
    case undefinedArgument(String, of: GraphArgumentOwner, known: [String])
    case repeatedArgument(String, of: GraphArgumentOwner)
    case missingArguments([GraphSchemaField], of: GraphArgumentOwner)
    case invalidValue(GraphValueProblem, place: GraphValuePlace)

    // Variables
    case repeatedVariable(String)
    case undefinedVariableType(String, of: String)
    case unusedVariable(String, operation: GraphOperation)
    case undefinedVariable(String, operation: GraphOperation)
    case mismatchedVariable(String, GraphTypeReference, argument: String, GraphTypeReference)
    case variableInDefault(String)
}

package enum GraphArgumentOwner: Sendable {
    case field(String, type: String)
    case directive(String)
}

/// The place of a value: an argument or the default of a variable, and, inside an input object, the member that has the value.
package struct GraphValuePlace: Sendable {
    /// The argument's name, or a variable's name with its `$`.
    package let argument: String
    package let argumentType: GraphTypeReference
    package let owner: GraphArgumentOwner?
    /// The member of the innermost input object that contains the value; outside of input objects, the same as ``argument``.
    package var member: String
}

package enum GraphValueProblem: Sendable {
    case null(GraphTypeReference)
    case notAnEnumValue(type: String)
    case undefinedEnumValue(String, type: GraphSchemaType)
    case notOfScalar(GraphLiteral, type: String)
    case notAnObject(type: String)
    case notAnInputType(String)
    case repeatedMember(String, type: String)
    case undefinedMember(String, type: GraphSchemaType)
    case missingMember(GraphSchemaField, type: String)
}

package struct GraphViolation: Sendable {
    package let rule: GraphRule
    package let file: String
    /// The place in the file; nil if the whole document breaks the rule.
    package let location: GraphLocation?
    /// The definition, then the response keys, fragments, arguments and members down to the place, such as `["query Q", "shop", "name"]`.
    package let path: [String]
}

/// A use of a field, an input field, an argument or an enum value that the schema marks as deprecated.
package struct GraphDeprecation: Sendable {
    package let coordinate: String
    package let reason: String
    package let file: String
    package let location: GraphLocation
}
