enum PageFrame {
    /// Returns the HTML of a page; the arguments must already be HTML (`style`: CSS), because this method escapes nothing.
    ///
    /// The text that replaces masked values follows `introduction`, so `introduction` must end in the middle of a sentence.
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
