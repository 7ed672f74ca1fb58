internal import IdentityPlatform
internal import StorefrontGeneration

/// Writes Swift types for GraphQL operations: all of it is in `StorefrontGeneration`.
@main enum StorefrontGen {
    static func main() {
        var output = GeneratorCommand.Output()
        let status = GeneratorCommand.run(Array(CommandLine.arguments.dropFirst()), &output)
        for line in output.lines { print(line) }
        if !output.errors.isEmpty {
            let text = output.errors.map { $0 + "\n" }.joined()
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
        }
        exit(status)
    }
}
