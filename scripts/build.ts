console.log('build')
