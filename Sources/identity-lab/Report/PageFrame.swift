/// The frame that all pages of identity-lab share.
enum PageFrame {
    /// Returns a page.
    ///
    /// - Parameters:
    ///   - title: The title of the page.
    ///   - head: Further elements of the head.
    ///   - style: Rules after those of the stylesheet.
    ///   - introduction: The text under the title; the text that replaces masked values follows it.
    ///   - main: The content.
    /// - Returns: The HTML of the page.
    static func html(title: String, head: String, style: String = "", introduction: String, main: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        \(head)
        <link rel="icon" href="data:,">
        <title>\(title)</title>
        <style>
        \(Stylesheet.text)
        \(style)
        </style>
        </head>
        <body>
        <header>
        <h1>\(title)</h1>
        <p>\(introduction) <span class="masked">\(RecordedField.mask)</span>.</p>
        </header>
        <main>
        \(main)
        </main>
        </body>
        </html>

        """
    }
}
