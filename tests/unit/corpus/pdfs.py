"""Small PDF files of text pages."""

import io


def pdf(*pages, password=None):
    """Make a small PDF of text pages."""
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    for lines in pages:
        page = writer.add_blank_page(600, 800)
        font = DictionaryObject()
        for key, value in (("Type", "Font"), ("Subtype", "Type1"), ("BaseFont", "Helvetica")):
            font[NameObject(f"/{key}")] = NameObject(f"/{value}")
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        body = "".join(f"({line}) Tj 0 -14 Td\n" for line in lines)
        stream.set_data(f"BT /F1 12 Tf 40 760 Td\n{body}ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    assert PdfReader(io.BytesIO(out.getvalue()))
    return out.getvalue()
